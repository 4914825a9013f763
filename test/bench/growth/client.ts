/** Timed requests over kept connections, whose answers are read whole. */
import { Agent, request } from 'node:http';

export interface TimedAnswer {
  ms: number;
  /** Time until the head of the answer. */
  headMs: number;
  status: number;
  body: string;
}

export interface TimedRequest {
  method?: 'GET' | 'POST';
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** After this time the request is abandoned: status 0 if the answer has not begun. */
  timeoutMs?: number;
  /** True to read the body without keeping it. */
  discard?: boolean;
}

const TIMEOUT_MS = 60_000;

export type Client = (timed: TimedRequest) => Promise<TimedAnswer>;

/** A client of the server at this port of this machine; `close` ends its connections. */
export function createClient(port: number): { send: Client; close(): void } {
  const agent = new Agent({ keepAlive: true });
  const send: Client = ({ method = 'GET', path, headers = {}, body = '', timeoutMs = TIMEOUT_MS, discard = false }) =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const sinceStart = () => performance.now() - startedAt;
      const signal = AbortSignal.timeout(timeoutMs);
      const json = body === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      let begun: Pick<TimedAnswer, 'headMs' | 'status'> | undefined;
      const fail = (error: Error) => {
        if (signal.aborted) resolve({ ms: sinceStart(), ...(begun ?? { headMs: sinceStart(), status: 0 }), body: '' });
        else reject(error);
      };
      const sent = request({ port, host: '127.0.0.1', agent, method, path, headers: { ...headers, ...json }, signal });
      sent.on('error', fail);
      sent.on('response', (response) => {
        const head = { headMs: sinceStart(), status: response.statusCode ?? 0 };
        begun = head;
        const chunks: Buffer[] = [];
        response.on('error', fail);
        response.on('data', (chunk: Buffer) => {
          if (!discard) chunks.push(chunk);
        });
        response.on('end', () => {
          const body = Buffer.concat(chunks).toString('utf8');
          resolve({ ms: sinceStart(), ...head, body });
        });
      });
      sent.end(body);
    });
  return { send, close: () => agent.destroy() };
}

/** The value at this share of all values, 0.99 for p99; 0 without values. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
