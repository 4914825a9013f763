import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { listenLocally } from '../helpers/listen-locally.ts';
import { declareStub } from '../helpers/test-servers.ts';

/** A request that a processor's API received. */
export interface Asked {
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
}

export interface ApiServer {
  url: string;
  asked: Asked[];
}

/** Answers every request of one test as a processor's API would, on this machine. */
export async function serveApi(answer: (asked: Asked, response: ServerResponse) => void): Promise<ApiServer> {
  const asked: Asked[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    const request = { path: pathname, query: Object.fromEntries(searchParams), headers };
    asked.push(request);
    answer(request, response);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = await listenLocally(server);
  declareStub(url);
  return { url, asked };
}

export function answerJson(response: ServerResponse, body: unknown, status = 200, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Announces the whole body and ends the connection after half of it. */
export function answerHalf(response: ServerResponse, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}
