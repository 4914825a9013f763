import type { IncomingMessage } from 'node:http';
import { excerpt, ServiceError } from '../errors.ts';
import type { Place } from './body-room.ts';
import { contentEncodingOf, readBody } from './request-body.ts';

const BYTES_MAX = 2 * 1024 * 1024;

/**
 * The bytes of a webhook, or of a part of a file, with any content type: signatures cover bytes. No processor
 * compresses its webhooks, and 2 KB of gzip could expand to 2 MiB to hash for each secret.
 *
 * @param advice what to do about a body of more than 2 MiB
 * @throws ServiceError `UNSUPPORTED_MEDIA_TYPE` for a compressed body, `PAYLOAD_TOO_LARGE` above 2 MiB; whatever else
 *   `readBody` throws
 */
export async function readRawBody(request: IncomingMessage, place: Place, advice?: string): Promise<Buffer> {
  const encoding = contentEncodingOf(request);
  if (encoding !== 'identity') {
    throw new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      `Content-Encoding ${JSON.stringify(excerpt(encoding))} is not supported here: send the bytes uncompressed`,
    );
  }
  return readBody(request, BYTES_MAX, place).catch((error: unknown) => {
    const isTooLarge = error instanceof ServiceError && error.code === 'PAYLOAD_TOO_LARGE';
    if (!isTooLarge || advice === undefined) throw error;
    throw new ServiceError(error.code, `${error.message}; ${advice}`);
  });
}
