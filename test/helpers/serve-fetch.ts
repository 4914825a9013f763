import { createServer, type RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenLocally } from './listen-locally.ts';
import { declareStub } from './test-servers.ts';

export interface LocalServer {
  url: string;
  close(): Promise<void>;
}

/** Serves a Node handler on a free port. */
export async function serveNode(handler: RequestListener): Promise<LocalServer> {
  const server = createServer(handler);
  const url = await listenLocally(server);
  declareStub(url);
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Serves a fetch handler on a free port, as Bun, Deno and edge runtimes do. */
export function serveFetch(handler: (request: Request) => Response | Promise<Response>): Promise<LocalServer> {
  return serveNode(async (incoming, outgoing) => {
    const { method = 'GET', headers, url } = incoming;
    const pairs = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    const body = method === 'GET' ? null : new Uint8Array(await buffer(incoming));
    const response = await handler(new Request(`http://${headers.host}${url}`, { method, headers: pairs, body }));
    outgoing.writeHead(response.status, [...response.headers].flat());
    outgoing.end(new Uint8Array(await response.arrayBuffer()));
  });
}
