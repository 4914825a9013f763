import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { freeBuffer } from '../app/free-buffer.ts';
import { LARGE_BODY_BYTES } from '../core/delivery.ts';
import { excerpt, ServiceError, validationError } from '../errors.ts';
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
 * @param place entered once more than `LARGE_BODY_BYTES` have arrived; the rest is read then
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
  return encoding === 'gzip' ? decompress(bytes, bytesMax) : bytes;
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
    let byteCount = 0;
    let hasEntered = false;
    const onData = (chunk: Buffer) => {
      byteCount += chunk.length;
      if (byteCount > bytesMax) return settle(() => reject(tooLarge(bytesMax)));
      chunks.push(chunk);
      if (byteCount <= LARGE_BODY_BYTES || hasEntered) return;
      hasEntered = true;
      if (place === undefined) return;
      request.pause();
      void place.enter(sizeMax).then(() => request.resume());
    };
    const onEnd = () => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : joined(chunks)));
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

function joined(chunks: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(chunks);
  if (bytes.length > LARGE_BODY_BYTES) for (const chunk of chunks) freeBuffer(chunk);
  return bytes;
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
