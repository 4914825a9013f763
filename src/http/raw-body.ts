import type { IncomingMessage } from 'node:http';
import { readBody } from './request-body.ts';

const WEBHOOK_BYTES_MAX = 2 * 1024 * 1024;

/**
 * The bytes of a webhook with any content type: signatures cover bytes.
 *
 * @throws ServiceError `PAYLOAD_TOO_LARGE` above 2 MiB; whatever else `readBody` throws
 */
export function readRawBody(request: IncomingMessage): Promise<Buffer> {
  return readBody(request, WEBHOOK_BYTES_MAX);
}
