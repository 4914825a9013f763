import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ServiceError, validationError } from '../errors.ts';

const unzip = promisify(gunzip);

/** Whether the request says that a body follows. An explicit length of 0 is none. */
export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': transfer } = request.headers;
  return transfer !== undefined || (length !== undefined && Number(length) > 0);
}

/**
 * The body's bytes, unzipped where they came as gzip.
 *
 * Our own reader, because body-parser swallows all of an oversized body before it answers: here a stream of a gigabyte
 * is refused at its header or at the first byte too many, and Node throws the rest away.
 *
 * @throws ServiceError `PAYLOAD_TOO_LARGE` for more than `bytesMax`, also after unzipping; `UNSUPPORTED_MEDIA_TYPE` for
 * another content encoding; `VALIDATION_ERROR` for what is no gzip; `RequestAborted` when the client went away
 */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      `Content-Encoding ${JSON.stringify(encoding)} is not supported; send the body as it is or as gzip`,
    );
  }
  const bytes = await collect(request, bytesMax);
  return encoding === 'gzip' ? unzipped(bytes, bytesMax) : bytes;
}

/** The client closed the connection before its request was complete: there is nobody to answer. */
export class RequestAborted extends Error {
  constructor() {
    super('The client went away before its request was complete');
    this.name = 'RequestAborted';
  }
}

function collect(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.reject(tooLarge(bytesMax));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let byteCount = 0;
    const onData = (chunk: Buffer) => {
      byteCount += chunk.length;
      if (byteCount > bytesMax) settle(() => reject(tooLarge(bytesMax)));
      else chunks.push(chunk);
    };
    const onEnd = () => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    const onClose = () => settle(() => reject(new RequestAborted()));
    const settle = (answer: () => void) => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      answer();
    };
    // an 'error' of an incoming request is always an abort; without a listener it would end the process
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    if (request.destroyed) onClose();
  });
}

async function unzipped(bytes: Buffer, bytesMax: number): Promise<Buffer> {
  try {
    return await unzip(bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(bytesMax);
    throw validationError([{ path: '', message: 'The body is not valid gzip, as its Content-Encoding says' }]);
  }
}

function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError('PAYLOAD_TOO_LARGE', `The body is larger than ${bytesMax / 1024} KiB`);
}
