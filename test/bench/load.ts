import { connect } from 'node:net';

/** Requests to each server that are not counted: in a server that runs for months, the code is compiled. */
export const WARM_UP_REQUESTS = 15_000;

export interface LoadResult {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Acknowledged requests. */
  acknowledged: number;
  /** All others: answered otherwise, or not at all because the server closed the connection. */
  refused: number;
  /** Which of the requests were refused, counted from 0. */
  refusedAt: number[];
}

interface Sent {
  index: number;
  request: Buffer;
}

/**
 * Sends every request once over `connections` sockets, each of which sends its next request when the last one is
 * answered. A connection that the server closes is opened again. Answers are scanned, not parsed, and requests should be
 * prepared beforehand, so that the generator costs as little as possible.
 *
 * @param isYes what counts as acknowledged, by the answer's head; status 200 when not given
 * @throws Error when the server cannot be reached, or ends in the middle of an answer
 */
export async function load(
  port: number,
  requests: Iterable<Buffer>,
  connections: number,
  isYes = (head: string) => head.startsWith('HTTP/1.1 200 '),
): Promise<LoadResult> {
  const latencies: number[] = [];
  const refusedAt: number[] = [];
  const pending = requests[Symbol.iterator]();
  let acknowledged = 0;
  let taken = 0;
  const startedAt = performance.now();
  const take = (): Sent | null => {
    const { value, done } = pending.next();
    return done ? null : { index: taken++, request: value };
  };
  const onEnd: OnEnd = ({ index }, ms, head) => {
    if (head !== null) latencies.push(ms);
    if (head !== null && isYes(head)) acknowledged += 1;
    else refusedAt.push(index);
  };
  const drive = async () => {
    while (!(await useConnection(port, take, onEnd)));
  };
  await Promise.all(Array.from({ length: connections }, drive));
  const seconds = (performance.now() - startedAt) / 1000;
  // with a comparison for each step, sorting hundreds of thousands would hold up the other requests of a client
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    requestsPerSecond: latencies.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    acknowledged,
    refused: refusedAt.length,
    refusedAt,
  };
}

/** @param head of the answer; null when the server closed the connection instead */
type OnEnd = (sent: Sent, ms: number, head: string | null) => void;

/** Settles with true when no requests are left, and with false when the server has closed the connection. */
function useConnection(port: number, take: () => Sent | null, onEnd: OnEnd): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let isOpen = false;
    let sent: Sent | null = null;
    let sentAt = 0;
    let received = '';
    const sendNext = () => {
      sent = take();
      if (sent === null) {
        socket.end();
        resolve(true);
        return;
      }
      sentAt = performance.now();
      socket.write(sent.request);
    };
    socket.on('connect', () => {
      isOpen = true;
      sendNext();
    });
    socket.on('error', (error) => {
      if (!isOpen) reject(error);
    });
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const head = headOfWhole(received);
      if (head === null || sent === null) return;
      received = '';
      onEnd(sent, performance.now() - sentAt, head);
      sent = null;
      if (/\r\nconnection: close\b/i.test(head)) socket.end();
      else sendNext();
    });
    socket.on('close', () => {
      if (received !== '') reject(new Error('The server closed a connection in the middle of an answer'));
      else if (sent !== null) onEnd(sent, performance.now() - sentAt, null);
      resolve(false);
    });
  });
}

/** Status line and headers of a complete answer; null before that. Answers must have a content length. */
export function headOfWhole(received: string): string | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = received.slice(0, headEnd);
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  return received.length < headEnd + 4 + Number(length ?? 0) ? null : head;
}
