import { connect, type Socket } from 'node:net';

/** What fetch would never send. */
export interface RawConnection {
  socket: Socket;
  /** All that came until now. */
  received(): string;
  /** Settles when the other side ended the connection, with everything that came. */
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
  // a reset is an end like another: what came before it is looked at
  socket.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  return { socket, received: () => text, ended };
}
