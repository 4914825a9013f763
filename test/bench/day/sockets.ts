import { connect } from 'node:net';
import { headOfWhole } from '../load.ts';

/** Keep-alive connections to a server, opened on demand. A request waits for a free one. */
export interface Sockets {
  /** The status line and headers of the answer; `onSend` is called when a connection is free. */
  send(request: Buffer, onSend: () => void): Promise<string>;
  close(): void;
}

interface Waiting {
  request: Buffer;
  onSend(): void;
  resolve(head: string): void;
  reject(error: Error): void;
}

interface Connection {
  take(waiting: Waiting): void;
  destroy(): void;
}

/** @param max connections to this port */
export function openSockets(port: number, max: number): Sockets {
  const queue: Waiting[] = [];
  const all = new Set<Connection>();
  const idle: Connection[] = [];
  const rest = (connection: Connection) => {
    const next = queue.shift();
    if (next) connection.take(next);
    else idle.push(connection);
  };
  const open = () => {
    if (all.size < max) all.add(openConnection(port, { rest, forget }));
  };
  const forget = (connection: Connection, wasConnected: boolean) => {
    all.delete(connection);
    if (idle.includes(connection)) idle.splice(idle.indexOf(connection), 1);
    if (!wasConnected) queue.shift()?.reject(new Error('The server accepts no connection'));
    else if (queue.length > 0) open();
  };
  return {
    send: (request, onSend) =>
      new Promise((resolve, reject) => {
        const waiting = { request, onSend, resolve, reject };
        const free = idle.pop();
        if (free) return free.take(waiting);
        queue.push(waiting);
        open();
      }),
    close() {
      for (const connection of all) connection.destroy();
    },
  };
}

/** Calls `rest` when it is connected and after each answer, and `forget` once, when it has ended. */
function openConnection(
  port: number,
  { rest, forget }: { rest(connection: Connection): void; forget(connection: Connection, wasConnected: boolean): void },
): Connection {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let current: Waiting | null = null;
  let received = '';
  let wasConnected = false;
  let isForgotten = false;
  const connection: Connection = {
    take(waiting) {
      current = waiting;
      waiting.onSend();
      socket.write(waiting.request);
    },
    destroy: () => void socket.destroy(),
  };
  socket.on('connect', () => {
    wasConnected = true;
    rest(connection);
  });
  socket.on('data', (chunk) => {
    if (current === null) {
      // the server closes a connection on which nothing was sent for long
      fail();
      socket.destroy();
      return;
    }
    received += chunk.toString('latin1');
    const head = headOfWhole(received);
    if (head === null) return;
    received = '';
    current.resolve(head);
    current = null;
    rest(connection);
  });
  const fail = () => {
    if (!isForgotten) forget(connection, wasConnected);
    isForgotten = true;
    current?.reject(new Error('The server closed a connection before it answered'));
    current = null;
  };
  socket.on('error', fail).on('close', fail);
  return connection;
}
