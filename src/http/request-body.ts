import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { LARGE_BODY_BYTES } from '../core/delivery.ts';
import { excerpt, ServiceError, validationError } from '../errors.ts';
import { freeBuffer } from '../free-buffer.ts';
import type { Place } from './body-room.ts';

const unzip = promisify(gunzip);

/** Whether the headers announce a body. A length of 0 means that there is none. */
export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': transfer } = request.headers;
  return transfer !== undefined || (length !== undefined && Number(length) > 0);
}

/**
 * The bytes of the body, decompressed when sent as gzip.
 *
 * Our own reader, because body-parser reads an oversized body to its end before it answers. This one refuses a gigabyte
 * by its header, or at the first excess byte, and Node discards the rest.
 *
 * @param place entered once more than `LARGE_BODY_BYTES` have arrived; the rest is read then. A smaller one that is
 *   compressed enters before it is decompressed, if the route takes more
 * @throws ServiceError `PAYLOAD_TOO_LARGE` for more than `bytesMax`, also after decompression; `UNSUPPORTED_MEDIA_TYPE`
 * for another content encoding; `VALIDATION_ERROR` for invalid gzip; `RequestAborted` when the client disconnected
 */
export async function readBody(request: IncomingMessage, bytesMax: number, place?: Place): Promise<Buffer> {
  const encoding = contentEncodingOf(request);
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      `Content-Encoding ${JSON.stringify(excerpt(encoding))} is not supported; send the body uncompressed or as gzip`,
    );
  }
  const bytes = await collect(request, bytesMax, place);
  if (encoding !== 'gzip' || bytes.length === 0) return bytes;
  // 2 KB of gzip may be 2 MiB
  if (bytesMax > LARGE_BODY_BYTES && bytes.length <= LARGE_BODY_BYTES) await place?.enter(bytesMax);
  return decompress(bytes, bytesMax);
}

/** The encoding of the body, in lower case; `identity` without one. */
export function contentEncodingOf({ headers }: IncomingMessage): string {
  return headers['content-encoding']?.trim().toLowerCase() || 'identity';
}

/** The client closed the connection before its request or our answer was complete, so there is nobody to answer. */
export class RequestAborted extends Error {
  constructor() {
    super('The client disconnected before the exchange was complete');
    this.name = 'RequestAborted';
  }
}

function collect(request: IncomingMessage, bytesMax: number, place?: Place): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > bytesMax) return Promise.reject(tooLarge(bytesMax));
  const sizeMax = contentEncodingOf(request) === 'identity' && announced > 0 ? announced : bytesMax;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let whole: Buffer | null = null;
    let byteCount = 0;
    let hasEntered = false;
    const onData = (chunk: Buffer) => {
      byteCount += chunk.length;
      if (byteCount > bytesMax) return settle(() => reject(tooLarge(bytesMax)));
      if (whole === null) chunks.push(chunk);
      else move(chunk, whole, byteCount - chunk.length);
      if (byteCount <= LARGE_BODY_BYTES || hasEntered) return;
      hasEntered = true;
      if (place === undefined) return;
      request.pause();
      void place.enter(sizeMax).then(() => {
        // in pieces, it would be in memory twice in the end
        if (announced > 0) whole = joined(chunks.splice(0), announced);
        request.resume();
      });
    };
    const onEnd = () =>
      settle(() => resolve(whole ?? (chunks.length === 1 && chunks[0] ? chunks[0] : joined(chunks, byteCount))));
    const onClose = () => settle(() => reject(new RequestAborted()));
    const settle = (answer: () => void) => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      answer();
    };
    // an 'error' of an incoming request is always an abort; without a listener it would crash the process
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    if (request.destroyed) onClose();
  });
}

/** A buffer of this size that begins with the chunks; those of a large body are given back. */
function joined(chunks: readonly Buffer[], size: number): Buffer {
  if (size <= LARGE_BODY_BYTES) return Buffer.concat(chunks);
  const bytes = Buffer.allocUnsafeSlow(size);
  let end = 0;
  for (const chunk of chunks) {
    const start = end;
    end += chunk.length;
    move(chunk, bytes, start);
  }
  return bytes;
}

function move(chunk: Buffer, into: Buffer, start: number): void {
  chunk.copy(into, start);
  freeBuffer(chunk);
}

async function decompress(bytes: Buffer, bytesMax: number): Promise<Buffer> {
  try {
    return await unzip(bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(bytesMax);
    throw validationError([{ path: '', message: 'The body is not valid gzip, although its Content-Encoding is gzip' }]);
  }
}

function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError('PAYLOAD_TOO_LARGE', `The body is larger than ${bytesMax / 1024} KiB`);
}
