import type { NextFunction, Request, Response } from 'express';
import { readBody } from './request-body.ts';

const WEBHOOK_BYTES_MAX = 2 * 1024 * 1024;

/**
 * Puts the bytes of a webhook into `request.body` as a Buffer, whatever their content type: signatures are about bytes.
 *
 * @throws ServiceError `PAYLOAD_TOO_LARGE` from 2 MiB on
 */
export async function rawBody(request: Request, _response: Response, next: NextFunction): Promise<void> {
  request.body = await readBody(request, WEBHOOK_BYTES_MAX);
  next();
}
