import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { listenLocally } from './listen-locally.ts';
import { isRunnable } from './processor-waits.ts';

/** What was sent to PostgreSQL and back. */
export interface Traffic {
  /** The statements that were executed, in order. */
  statements: string[];
  /** Those that the server had to parse, in order. */
  parsed: string[];
  /** How often a connection went from idle to waiting for the server, over all connections. */
  roundTrips: number;
  /** How often that happened while all connections were idle: concurrent round trips count once. */
  waits: number;
}

/** A proxy in front of PostgreSQL that reads the traffic. */
export interface ObservedPostgres {
  /** The database's URL, through the proxy. */
  url: string;
  /** Holds answers until this process, too, sleeps: what it computes before it waits for them may take it long. */
  follow(pid: number): void;
  /** The traffic while `work` ran. */
  observe(work: () => Promise<unknown>): Promise<Traffic>;
  close(): Promise<void>;
}

const NONE: Traffic = { statements: [], parsed: [], roundTrips: 0, waits: 0 };
/**
 * Answers are held until nothing was sent for this long. What is sent without waiting for them has then arrived, however
 * late this process and the observed one got a processor.
 */
const QUIET_MS = 5;
const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;

export async function observePostgres(url: string): Promise<ObservedPostgres> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let traffic: Traffic = structuredClone(NONE);
  let waiting = 0;
  const held: (() => void)[] = [];
  let followed: number | undefined;
  let sent = 0;
  let isHolding = false;
  const hold = async (answer: () => void) => {
    held.push(answer);
    if (isHolding) return;
    isHolding = true;
    while (!(await isQuiet()));
    isHolding = false;
    for (const release of held.splice(0)) release();
  };
  const isQuiet = async () => {
    const sentBefore = sent;
    await sleep(QUIET_MS);
    if (followed !== undefined && isRunnable(followed)) return false;
    // what was sent until then is read in this turn
    await nextTurn();
    return sent === sentBefore;
  };

  const server = createServer((client) => {
    const upstream = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    client.setNoDelay(true);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
        sockets.delete(socket);
      });
    }
    const texts = new Map<string, string>();
    let bound = '';
    let unanswered = 0;
    let isStarted = false;
    const requests = messageReader((type, body) => {
      if (type === 'P') {
        const [name, text] = namedText(body);
        texts.set(name, text);
        traffic.parsed.push(text);
      }
      if (type === 'B') bound = statementOf(body);
      if (type === 'E') traffic.statements.push(texts.get(bound) ?? '');
      if (type === 'Q') traffic.statements.push(body.toString('utf8', 0, body.length - 1));
      if (type !== 'S' && type !== 'Q') return;
      unanswered += 1;
      if (unanswered > 1) return;
      traffic.roundTrips += 1;
      waiting += 1;
      if (waiting === 1) traffic.waits += 1;
    });
    const answers = messageReader((type) => {
      if (type !== 'Z') return;
      if (!isStarted) {
        isStarted = true;
        return;
      }
      unanswered -= 1;
      if (unanswered === 0) waiting -= 1;
    });
    let startUp = Buffer.alloc(0);
    let startUpBytes = Number.POSITIVE_INFINITY;
    client.on('data', (bytes) => {
      sent += 1;
      upstream.write(bytes);
      if (startUpBytes === 0) {
        requests(bytes);
        return;
      }
      // the first message has no type
      startUp = Buffer.concat([startUp, bytes]);
      if (startUp.length >= LENGTH_BYTES) startUpBytes = startUp.readInt32BE();
      if (startUp.length < startUpBytes) return;
      requests(startUp.subarray(startUpBytes));
      startUpBytes = 0;
    });
    upstream.on('data', (bytes) => {
      void hold(() => {
        client.write(bytes);
        answers(bytes);
      });
    });
  });
  const observed = new URL(url);
  observed.port = new URL(await listenLocally(server)).port;
  return {
    url: observed.href,
    follow(pid) {
      followed = pid;
    },
    async observe(work) {
      traffic = structuredClone(NONE);
      await work();
      return traffic;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Splits a stream of messages: a byte of type, four of length, the body. */
function messageReader(onMessage: (type: string, body: Buffer) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= TYPE_BYTES + LENGTH_BYTES) {
      const end = TYPE_BYTES + rest.readInt32BE(TYPE_BYTES);
      if (rest.length < end) return;
      onMessage(String.fromCharCode(rest[0] ?? 0), rest.subarray(TYPE_BYTES + LENGTH_BYTES, end));
      rest = rest.subarray(end);
    }
  };
}

/** The name and text in a Parse message. */
function namedText(body: Buffer): [name: string, text: string] {
  const [name = '', text = ''] = body.toString('utf8').split('\0');
  return [name, text];
}

/** The statement in a Bind message, after the portal's name. */
function statementOf(body: Buffer): string {
  const start = body.indexOf(0) + 1;
  return body.toString('utf8', start, body.indexOf(0, start));
}
