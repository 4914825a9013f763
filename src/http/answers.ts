import type { ServerResponse } from 'node:http';
import { RawReply, Reply, type Route } from '../app/route.ts';
import { isList, listAsJson } from './list-in-parts.ts';
import { streamAnswer } from './stream-answer.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends a complete JSON answer of one line; keeps headers that were set before. */
export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  answerWith(response, status, JSON_TYPE, `${JSON.stringify(body)}\n`);
}

/** Sends a complete answer of one line of text. */
export function answerText(response: ServerResponse, status: number, text: string): void {
  answerWith(response, status, 'text/plain; charset=utf-8', `${text}\n`);
}

/** Sets the headers of every answer of a route, before anything can be refused. */
export function setRouteHeaders(headers: Readonly<Record<string, string>>, response: ServerResponse): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** The headers of every answer of a route. No cache keeps what a credential has opened. */
export function headersOf(route: Route, baseUrl: string): Readonly<Record<string, string>> {
  const { method, credential } = route;
  const isOpen = credential === 'public' || credential === 'signature';
  const cacheControl = route.cacheControl ?? (method === 'GET' && !isOpen ? 'private, no-store' : undefined);
  return { ...(cacheControl === undefined ? {} : { 'Cache-Control': cacheControl }), ...route.headers?.(baseUrl) };
}

/** Sends the result of a route. Settles when Node has taken the last byte. */
export async function sendAnswer(route: Route, response: ServerResponse, answer: unknown): Promise<void> {
  if (answer instanceof RawReply) return sendRaw(response, answer);
  if (answer instanceof Reply) {
    for (const [name, value] of Object.entries(answer.headers))
      if (value !== undefined) response.appendHeader(name, String(value));
    if (answer.body !== undefined) return answerJson(response, answer.status, answer.body);
    response.writeHead(answer.status).end();
    return;
  }
  if (answer === undefined) response.writeHead(204).end();
  else if (typeof answer === 'object' && answer !== null && isList(answer))
    await sendRaw(response, new RawReply(route.status ?? 200, { 'Content-Type': JSON_TYPE }, listAsJson(answer)));
  else answerJson(response, route.status ?? 200, answer);
}

/** Sends a file, a page or a redirect. Settles when Node has taken the last byte. */
export async function sendRaw(response: ServerResponse, { status, headers, content }: RawReply): Promise<void> {
  if (typeof content === 'string' || Buffer.isBuffer(content)) {
    // it would be the length of the answer that a client already has, or gets with GET (RFC 9110, 8.6)
    const isUnknown = status === 304 || (response.req.method === 'HEAD' && content.length === 0);
    const length = isUnknown ? {} : { 'Content-Length': Buffer.byteLength(content) };
    response.writeHead(status, { ...headers, ...length }).end(content);
    return;
  }
  response.writeHead(status, headers);
  if (response.req.method === 'HEAD') {
    // Node would drop every chunk, as fast as the database reads them
    await content[Symbol.asyncIterator]().return?.();
    response.end();
    return;
  }
  await streamAnswer(response, content);
}

function answerWith(response: ServerResponse, status: number, contentType: string, text: string): void {
  response.writeHead(status, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(text) }).end(text);
}
