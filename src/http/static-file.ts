import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { RawReply, type RequestFacts } from '../app/route.ts';

export interface StaticFile {
  /** The source of the text, which is read on the first request. */
  url: URL;
  contentType: string;
  cacheControl: string;
  /** Additional headers of every answer. */
  headers?: OutgoingHttpHeaders;
  /** Changes the text before it is compressed. */
  prepare?(text: string): string;
}

export type Encoding = 'br' | 'gzip' | 'identity';

/** In order of preference. */
const ENCODINGS: readonly Encoding[] = ['br', 'gzip', 'identity'];

const COMPRESS: Record<Encoding, (content: Buffer) => Promise<Buffer>> = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
  identity: async (content) => content,
};

/** Serves the file in the best encoding that the client accepts, with an `ETag` per encoding, or 304 if the client has it. */
export function staticFile(file: StaticFile): (request: RequestFacts) => Promise<RawReply> {
  const read = once(() => readContent(file));
  // zlib compresses each encoding once, on its own thread pool
  const compressed = (encoding: Encoding) => once(async () => COMPRESS[encoding]((await read()).bytes));
  const bodies = { br: compressed('br'), gzip: compressed('gzip'), identity: compressed('identity') };

  return async ({ headers }) => {
    const encoding = await encodingFor(headers['accept-encoding']);
    const etag = `"${(await read()).digest}-${encoding}"`;
    const common = {
      'Cache-Control': file.cacheControl,
      ETag: etag,
      Vary: 'Accept-Encoding',
      ...file.headers,
    };
    if (isKnown(etag, headers['if-none-match'])) return new RawReply(304, common);
    const full = { ...common, ...encodingHeader(encoding), 'Content-Type': file.contentType };
    return new RawReply(200, full, await bodies[encoding]());
  };
}

interface Content {
  bytes: Buffer;
  digest: string;
}

async function readContent({ url, prepare = (text) => text }: StaticFile): Promise<Content> {
  const bytes = Buffer.from(prepare(await readFile(url, 'utf8')));
  return { bytes, digest: digestOf(bytes) };
}

/** Identifies a content: the start of its SHA-256 in base64url. */
export function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
}

/** Caches the result of the first call; after a failure, the next call tries again. */
function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}

/**
 * The best encoding that the client accepts. Loads the package with the first file, because commands load the routes, too,
 * and it brings a list of every media type.
 */
export async function encodingFor(accepted: string | undefined): Promise<Encoding> {
  const { default: accepts } = await import('accepts');
  const request = { headers: { 'accept-encoding': accepted } } as IncomingMessage;
  const best = accepts(request).encodings([...ENCODINGS]);
  return ENCODINGS.find((encoding) => encoding === best) ?? 'identity';
}

export function encodingHeader(encoding: Encoding): OutgoingHttpHeaders {
  return encoding === 'identity' ? {} : { 'Content-Encoding': encoding };
}

/**
 * True when the client has this representation (RFC 9110, 13.1.2). Express ignores `If-None-Match` in a request with
 * `Cache-Control: no-cache`, which `fetch` adds; but `no-cache` asks for exactly this revalidation.
 */
export function isKnown(etag: string, ifNoneMatch: string | undefined): boolean {
  // a proxy that changes the encoding marks the tag as weak
  const known = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
