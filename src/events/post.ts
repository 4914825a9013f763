import { lookup as systemLookup } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type AllowedHosts, hostnameOf, isPublicAddress, refusalOf } from './address.ts';

/** For connecting, sending and the whole answer. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
/** How much of an answer is read; the rest is cut off. */
const RESPONSE_BYTES_MAX = 16_384;
/** How much of it is kept for people. */
const RESPONSE_CHARACTERS_KEPT = 500;

/** What became of one attempt to send. */
export interface Posted {
  /** Null without an answer. */
  status: number | null;
  /** Why it failed; null when it succeeded. */
  error: string | null;
  /** The beginning of the answer. */
  response: string | null;
  /** As the endpoint asked for; null when it did not. */
  retryAfter: string | null;
}

export interface PostOptions {
  allowedHosts: AllowedHosts;
  /** Resolves names; the system's by default. */
  lookup?: LookupFunction;
  timeoutMs?: number;
}

export interface Poster {
  /** Never rejects. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Posted>;
  close(): void;
}

/**
 * Posts to URLs that strangers have chosen. Connects to public addresses only, whatever a name resolves to at that moment;
 * follows no redirect, reads little of the answer, and ends after 15 s. Connections are kept for the next event.
 */
export function createPoster({
  allowedHosts,
  lookup = systemLookup,
  timeoutMs = ATTEMPT_TIMEOUT_MS,
}: PostOptions): Poster {
  const agents = {
    'http:': new HttpAgent({ keepAlive: true, maxFreeSockets: 32, timeout: timeoutMs }),
    'https:': new HttpsAgent({ keepAlive: true, maxFreeSockets: 32, timeout: timeoutMs }),
  };
  return {
    async post(url, headers, body) {
      const target = new URL(url);
      // again, because the setting may have changed since the URL was written
      const refusal = refusalOf(target, allowedHosts);
      if (refusal !== null) return failure(`not sent: its URL ${refusal}`);
      const isAllowed = allowedHosts.has(hostnameOf(target));
      const options: RequestOptions = {
        method: 'POST',
        agent: agents[target.protocol as keyof typeof agents],
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        lookup: isAllowed ? lookup : publicLookup(lookup),
      };
      const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
      return exchange((onAnswer) => send(target, options, onAnswer), { body, timeoutMs, isAllowed });
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Refuses a name that resolves to any address that is not public; the connection is made to what this has seen. */
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

type Send = (onAnswer: (answer: IncomingMessage) => void) => ReturnType<typeof httpRequest>;

function exchange(
  send: Send,
  { body, timeoutMs, isAllowed }: { body: string; timeoutMs: number; isAllowed: boolean },
): Promise<Posted> {
  const { promise, resolve } = Promise.withResolvers<Posted>();
  const request = send((answer) => {
    readAnswer(answer).then(resolve, (error) => resolve(failure(messageOf(error))));
  });
  const timer = setTimeout(() => request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  request.on('socket', (socket) => {
    const check = () => {
      const { remoteAddress } = socket;
      // what was resolved is what was connected to; should that ever not be so, nothing is sent
      if (!isAllowed && remoteAddress !== undefined && !isPublicAddress(remoteAddress))
        socket.destroy(notPublic(remoteAddress));
    };
    if (socket.connecting) socket.prependOnceListener('connect', check);
    else check();
  });
  request.on('error', (error) => resolve(failure(messageOf(error))));
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
  } catch (error) {
    // a success whose body was cut off has arrived all the same
    if (!isSuccess(status)) return { ...failure(messageOf(error)), status };
  }
  const text = Buffer.concat(chunks).subarray(0, RESPONSE_BYTES_MAX).toString('utf8').replaceAll('\0', '');
  return {
    status,
    error: isSuccess(status) ? null : problemOf(status),
    response: text === '' ? null : text.slice(0, RESPONSE_CHARACTERS_KEPT).toWellFormed(),
    retryAfter: answer.headers['retry-after'] ?? null,
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

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return (error.message || code || error.name).slice(0, 300);
}
