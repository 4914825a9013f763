import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { parse as parseContentType } from 'content-type';
import { ServiceError, validationError } from '../errors.ts';
import { findExcess } from '../schema/large-json.ts';
import type { EnterRoom } from './body-room.ts';
import { hasBody, readBody } from './request-body.ts';

const JSON_TYPE = 'application/json';
/** RFC 7396. */
const MERGE_PATCH_TYPE = 'application/merge-patch+json';
/** Of a body that is not large. */
export const JSON_BYTES_MAX = 64 * 1024;
const LARGE_JSON_BYTES_MAX = 2 * 1024 * 1024;

/**
 * The parsed JSON body; undefined without one.
 *
 * @throws ServiceError `UNSUPPORTED_MEDIA_TYPE` for anything but JSON in UTF-8 (a merge patch only with PATCH),
 * `PAYLOAD_TOO_LARGE` above 64 KiB (2 MiB when `isLarge`), `VALIDATION_ERROR` for malformed JSON, and above 64 KiB for what
 * `findExcess` finds
 */
export async function readJsonBody(request: IncomingMessage, isLarge = false, enter?: EnterRoom): Promise<unknown> {
  if (!hasBody(request)) return undefined;
  requireJson(request);
  if (!isLarge) return parseJson(await readBody(request, JSON_BYTES_MAX, enter));
  const bytes = await readBody(request, LARGE_JSON_BYTES_MAX, enter);
  if (bytes.length > JSON_BYTES_MAX) await requireParsable(bytes);
  const parsed = parseJson(bytes);
  // checking its thousands of values takes as long again
  await yieldToEventLoop();
  return parsed;
}

/** Refuses what would take too long to parse. */
async function requireParsable(json: Buffer): Promise<void> {
  const excess = findExcess(json);
  if (excess !== null) throw validationError([{ path: '', message: `The body ${excess}` }]);
  await yieldToEventLoop();
}

function requireJson({ method, headers }: IncomingMessage): void {
  const { type, parameters } = parseContentType(headers['content-type'] ?? '');
  if (type !== JSON_TYPE && !(type === MERGE_PATCH_TYPE && method === 'PATCH')) {
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
    // some clients send a byte order mark, which JSON does not allow
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw malformed('it cannot be parsed');
    // these words quote the body, which may contain a password
    const [position = 'see the response'] = /at position \d+/.exec(error.message) ?? [];
    throw malformed(error.message, position);
  }
}

function malformed(why: string, logged = why): ServiceError {
  const said = (reason: string) => `The body is not valid JSON: ${reason}`;
  const details = [{ path: '', message: said(why) }];
  return new ServiceError('VALIDATION_ERROR', said(why), { details, logMessage: said(logged) });
}
