import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listenLocally } from './listen-locally.ts';

/** A proxy in front of PostgreSQL that a test can break. */
export interface PostgresProxy {
  /** The database's URL, through the proxy. */
  url: string;
  /** Breaks every connection, and refuses new ones until `mend`. */
  breakAll(): void;
  /** Accepts connections and bytes, but answers nothing until `mend`. */
  swallowAll(): void;
  /** Settles when the next answer of the server has been swallowed. */
  answerSwallowed(): Promise<void>;
  /** Lets nothing pass on the connections that there are, not even their end, as when a cable is cut; until `breakAll`. */
  freezeAll(): void;
  mend(): void;
  /** Later connections go to the server at this URL, as after a change of a name; those that there are remain. */
  leadTo(url: string): void;
  /** As `leadTo`, and breaks every connection. */
  moveTo(url: string): void;
  /** Breaks the next connection that sends `command`, after the server has run it but before its answer arrives. */
  breakAfter(command: string): void;
  /** Settles when the next connection that ends is closed on both sides. */
  connectionLost(): Promise<void>;
  close(): Promise<void>;
}

export async function createPostgresProxy(url: string): Promise<PostgresProxy> {
  let target = new URL(url);
  const sockets = new Set<Socket>();
  let state: 'whole' | 'broken' | 'swallowing' = 'whole';
  let fatalText: string | undefined;
  const events = new EventEmitter();

  const server = createServer((client) => {
    if (state === 'broken') return void client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    const both = [client, upstream];
    for (const socket of both) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        for (const end of both) end.destroy();
        sockets.delete(socket);
      });
    }
    client.on('close', () => events.emit('lost'));
    let doomed = false;
    client.on('data', (bytes) => {
      if (state === 'swallowing') return;
      if (fatalText !== undefined && bytes.includes(fatalText)) {
        fatalText = undefined;
        doomed = true;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (doomed) client.destroy();
      else if (state === 'whole') client.write(bytes);
      else events.emit('swallowed');
    });
  });
  const proxied = new URL(url);
  proxied.port = new URL(await listenLocally(server)).port;

  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: proxied.href,
    breakAll() {
      state = 'broken';
      destroyAll();
    },
    swallowAll() {
      state = 'swallowing';
    },
    async answerSwallowed() {
      await once(events, 'swallowed');
    },
    freezeAll() {
      for (const socket of sockets) socket.pause();
    },
    mend() {
      state = 'whole';
    },
    leadTo(other) {
      target = new URL(other);
    },
    moveTo(other) {
      target = new URL(other);
      destroyAll();
    },
    breakAfter(command) {
      // commands, and the names of prepared ones, end with a NUL on the wire
      fatalText = `${command}\0`;
    },
    async connectionLost() {
      await once(events, 'lost');
    },
    async close() {
      destroyAll();
      server.close();
      await once(server, 'close');
    },
  };
}
