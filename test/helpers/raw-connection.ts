import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection for requests that fetch would never send. */
export interface RawConnection {
  socket: Socket;
  /** Everything received so far. */
  received(): string;
  /** Settles with everything received when the other side has closed the connection. */
  ended: Promise<string>;
}

/** A bare connection to `url`'s host and port. */
export function openConnection(url: string): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  // a reset is a normal end: what was received before still counts
  socket.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  return { socket, received: () => text, ended };
}

/** A POST without its body; settles when the server has read the headers and waits for `length` bytes. */
export async function beginPost(
  url: string,
  path: string,
  length: number,
  headers: Record<string, string> = {},
): Promise<RawConnection> {
  const connection = openConnection(url);
  const all = { host: 'x', 'content-length': length, expect: '100-continue', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  connection.socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const over = connection.ended.then((text) => Promise.reject(new Error(`The server ended the connection: ${text}`)));
  while (!connection.received().includes(' 100 Continue\r\n\r\n')) {
    await Promise.race([once(connection.socket, 'data'), over]);
  }
  over.catch(() => {});
  return connection;
}
