import { isUtf8 } from 'node:buffer';
import { parse as parseContentType } from 'content-type';
import type { NextFunction, Request, Response } from 'express';
import { ServiceError, validationError } from '../errors.ts';
import { hasBody, readBody } from './request-body.ts';

const JSON_BYTES_MAX = 64 * 1024;

/**
 * Parses a JSON body into `request.body`; without a body that stays undefined, which `parseInput` refuses.
 *
 * @throws ServiceError `UNSUPPORTED_MEDIA_TYPE` for anything but `application/json` in UTF-8, `PAYLOAD_TOO_LARGE` from
 * 64 KiB on, `VALIDATION_ERROR` for malformed JSON
 */
export async function jsonBody(request: Request, _response: Response, next: NextFunction): Promise<void> {
  if (hasBody(request)) {
    requireJson(request.headers['content-type']);
    request.body = parseJson(await readBody(request, JSON_BYTES_MAX));
  }
  next();
}

function requireJson(header: string | undefined): void {
  const { type, parameters } = parseContentType(header ?? '');
  if (type !== 'application/json') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Send the body with the header Content-Type: application/json');
  }
  const charset = parameters.charset?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', `The charset of the body must be utf-8, not ${charset}`);
  }
}

function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformed('it is not UTF-8');
  const text = bytes.toString('utf8');
  try {
    // some clients write a byte order mark, which JSON itself does not allow
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (error) {
    throw malformed(error instanceof SyntaxError ? error.message : 'it cannot be parsed');
  }
}

function malformed(why: string): ServiceError {
  return validationError([{ path: '', message: `The body is not valid JSON: ${why}` }]);
}
