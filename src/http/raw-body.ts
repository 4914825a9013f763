import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { readBody } from './request-body.ts';

const WEBHOOK_BYTES_MAX = 2 * 1024 * 1024;

/**
 * The bytes of a webhook, whatever their content type: signatures are about bytes.
 *
 * @throws ServiceError `PAYLOAD_TOO_LARGE` from 2 MiB on; and what else `readBody` throws
 */
export function readRawBody(request: IncomingMessage): Promise<Buffer> {
  return readBody(request, WEBHOOK_BYTES_MAX);
}

/** Puts them into `request.body`. */
export async function rawBody(request: Request, _response: Response, next: NextFunction): Promise<void> {
  request.body = await readRawBody(request);
  next();
}
