import { connect, type Socket } from 'node:net';

export interface LoadResult {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Acknowledged requests. */
  acknowledged: number;
  refused: number;
}

/**
 * Sends every request once over `connections` sockets, each of which sends its next request when the last one is
 * answered. Answers are scanned, not parsed, and requests should be prepared beforehand, so that the generator costs as
 * little as possible.
 *
 * @param isYes what counts as acknowledged, by the answer's head; status 200 when not given
 */
export async function load(
  port: number,
  requests: Iterable<Buffer>,
  connections: number,
  isYes = (head: string) => head.startsWith('HTTP/1.1 200 '),
): Promise<LoadResult> {
  const latencies: number[] = [];
  const pending = requests[Symbol.iterator]();
  let acknowledged = 0;
  const startedAt = performance.now();
  const take = () => pending.next().value as Buffer | undefined;
  await Promise.all(
    Array.from({ length: connections }, () =>
      drive(port, take, (ms, head) => {
        latencies.push(ms);
        if (isYes(head)) acknowledged += 1;
      }),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  // with a comparison for each step, sorting hundreds of thousands would hold up the other requests of a client
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    requestsPerSecond: latencies.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    acknowledged,
    refused: latencies.length - acknowledged,
  };
}

function drive(
  port: number,
  take: () => Buffer | undefined,
  onAnswer: (ms: number, head: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let sentAt = 0;
    let received = '';
    const send = () => {
      const request = take();
      if (request === undefined) {
        socket.end();
        resolve();
        return;
      }
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const head = headOfWhole(received);
      if (head === null) return;
      received = '';
      onAnswer(performance.now() - sentAt, head);
      send();
    });
    failOnClose(socket, () => received, reject);
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

function failOnClose(socket: Socket, pending: () => string, reject: (error: Error) => void): void {
  socket.on('close', () => {
    if (pending() !== '') reject(new Error('The server closed a connection in the middle of an answer'));
  });
}
