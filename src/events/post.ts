import { lookup as systemLookup } from 'node:dns';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { http } from '../app/node-http.ts';
import { type AllowedHosts, hostnameOf, isPublicAddress, refusalOf } from './address.ts';

/** For connecting, sending and reading the whole response. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
/** The number of response bytes that are read. The rest is cut off. */
const RESPONSE_BYTES_MAX = 16_384;
/** The number of response characters that are kept for people to read. */
const RESPONSE_CHARACTERS_KEPT = 500;

/** The result of one attempt to send. */
export interface Posted {
  /** Null when there was no response. */
  status: number | null;
  /** The reason for a failure; null after a success. */
  error: string | null;
  /** The start of the response. */
  response: string | null;
  /** The endpoint's `Retry-After` header; null when it sent none. */
  retryAfter: string | null;
}

export interface PostOptions {
  allowedHosts: AllowedHosts;
  /** Resolves names. The default is the system's resolver. */
  lookup?: LookupFunction;
  timeoutMs?: number;
}

export interface Poster {
  /** Never rejects. When `giveUp` aborts, it ends as if the connection was lost. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string, giveUp: AbortSignal): Promise<Posted>;
  close(): void;
}

/**
 * Posts to URLs that strangers have chosen. Connects to public addresses only, whatever a name resolves to at that
 * moment; follows no redirect, reads little of the response, and ends after 15 s. Connections are reused for the next
 * event.
 */
export function createPoster({
  allowedHosts,
  lookup = systemLookup,
  timeoutMs = ATTEMPT_TIMEOUT_MS,
}: PostOptions): Poster {
  const keptOpen = { keepAlive: true, maxFreeSockets: 32, timeout: timeoutMs };
  const plain = { agent: new http.Agent(keptOpen), request: http.request };
  const encrypted = { agent: new HttpsAgent(keptOpen), request: httpsRequest };
  return {
    async post(url, headers, body, giveUp) {
      const target = new URL(url);
      // checked again, because the setting may have changed since the URL was stored
      const refusal = refusalOf(target, allowedHosts);
      if (refusal !== null) return failure(`not sent: its URL ${refusal}`);
      const isAllowed = allowedHosts.has(hostnameOf(target));
      const { agent, request } = target.protocol === 'https:' ? encrypted : plain;
      const options: RequestOptions = {
        method: 'POST',
        agent,
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        lookup: isAllowed ? lookup : publicLookup(lookup),
        signal: giveUp,
      };
      return exchange((onAnswer) => request(target, options, onAnswer), { body, timeoutMs, isAllowed });
    },
    close() {
      for (const { agent } of [plain, encrypted]) agent.destroy();
    },
  };
}

/** Refuses a name that resolves to any address that is not public. The connection uses the addresses checked here. */
function publicLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      const addresses = typeof address === 'string' ? [address] : (address ?? []).map((found) => found.address);
      const refused = error ? undefined : addresses.find((found) => !isPublicAddress(found));
      if (refused === undefined) callback(error, address, family);
      else callback(notPublic(hostname), '', 0);
    });
  };
}

function notPublic(host: string): NodeJS.ErrnoException {
  return new Error(`${host} leads to an address that is not on the public internet`);
}

type Send = (onAnswer: (answer: IncomingMessage) => void) => ReturnType<typeof http.request>;

function exchange(
  send: Send,
  { body, timeoutMs, isAllowed }: { body: string; timeoutMs: number; isAllowed: boolean },
): Promise<Posted> {
  const { promise, resolve } = Promise.withResolvers<Posted>();
  let isAnswered = false;
  const request = send((answer) => {
    isAnswered = true;
    readAnswer(answer).then(resolve, (error) => resolve(failure(reasonOf(error))));
  });
  const timer = setTimeout(() => request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  request.on('socket', (socket) => {
    const check = () => {
      const { remoteAddress } = socket;
      // the connection should always use a resolved address; if it ever does not, nothing is sent
      if (!isAllowed && remoteAddress !== undefined && !isPublicAddress(remoteAddress))
        socket.destroy(notPublic(remoteAddress));
    };
    if (socket.connecting) socket.prependOnceListener('connect', check);
    else check();
  });
  request.on('error', (error) => {
    if (!isAnswered) resolve(failure(reasonOf(error)));
  });
  // after an answer 101, Node closes the connection without an answer and without an error
  request.on('close', () => {
    if (!isAnswered) resolve(failure('the connection was closed without an answer'));
  });
  request.end(body);
  return promise.finally(() => clearTimeout(timer));
}

async function readAnswer(answer: IncomingMessage): Promise<Posted> {
  const status = answer.statusCode ?? 0;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      chunks.push(chunk);
      bytes += chunk.length;
      // leaving the loop destroys the connection
      if (bytes > RESPONSE_BYTES_MAX) break;
    }
  } catch {
    // the connection or the time ended within the body, but the status is known: a success counts as delivered
  }
  const text = Buffer.concat(chunks).subarray(0, RESPONSE_BYTES_MAX).toString('utf8').replaceAll('\0', '');
  return {
    status,
    error: isSuccess(status) ? null : problemOf(status),
    response: text === '' ? null : text.slice(0, RESPONSE_CHARACTERS_KEPT).toWellFormed(),
    // in `headers`, Node keeps only the first
    retryAfter: answer.headersDistinct['retry-after']?.join(', ') ?? null,
  };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function problemOf(status: number): string {
  return status >= 300 && status < 400 ? `answered ${status}; redirects are not followed` : `answered ${status}`;
}

function failure(error: string): Posted {
  return { status: null, error, response: null, retryAfter: null };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return (error.message || code || error.name).slice(0, 300);
}
