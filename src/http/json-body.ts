import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { parse as parseContentType } from 'content-type';
import { excerpt, ServiceError, validationError } from '../errors.ts';
import { freeBuffer } from '../free-buffer.ts';
import { parseJsonInTurns } from '../schema/json-in-turns.ts';
import { findExcess, SMALL_JSON_LIMITS } from '../schema/large-json.ts';
import type { Place } from './body-room.ts';
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
 * `PAYLOAD_TOO_LARGE` above 64 KiB (2 MiB when `isLarge`), `VALIDATION_ERROR` for malformed JSON, and for what `findExcess`
 * finds
 */
export async function readJsonBody(request: IncomingMessage, isLarge = false, place?: Place): Promise<unknown> {
  if (!hasBody(request)) return undefined;
  const isOfKnownLength = request.headers['content-length'] !== undefined;
  if (isOfKnownLength) requireJson(request);
  const bytes = await readBody(request, isLarge ? LARGE_JSON_BYTES_MAX : JSON_BYTES_MAX, place);
  // in chunks, or compressed, only the end tells that there is none
  if (bytes.length === 0) return undefined;
  if (!isOfKnownLength) requireJson(request);
  if (bytes.length > JSON_BYTES_MAX) await requireParsable(bytes);
  // most bodies are shorter than any limit
  else if (bytes.length > SMALL_JSON_LIMITS.members) refuse(findExcess(bytes, SMALL_JSON_LIMITS));
  if (!isLarge) return parseJson(bytes);
  const parsed = await parseLargeJson(bytes);
  // checking its thousands of values takes as long again
  await yieldToEventLoop();
  return parsed;
}

/** Refuses what would take too long to parse. */
async function requireParsable(json: Buffer): Promise<void> {
  refuse(findExcess(json));
  await yieldToEventLoop();
}

function refuse(excess: string | null): void {
  if (excess !== null) throw validationError([{ path: '', message: `The body ${excess}` }]);
}

function requireJson({ method, headers }: IncomingMessage): void {
  const { type, parameters } = parseContentType(headers['content-type'] ?? '');
  if (type !== JSON_TYPE && !(type === MERGE_PATCH_TYPE && method === 'PATCH')) {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Send the body with the header Content-Type: application/json');
  }
  const charset = parameters.charset?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8') {
    throw new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The charset of the body must be utf-8, not ${JSON.stringify(excerpt(charset))}`,
    );
  }
}

function parseJson(bytes: Buffer): unknown {
  const text = textOf(bytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refusalFor(error);
  }
}

async function parseLargeJson(bytes: Buffer): Promise<unknown> {
  const text = textOf(bytes);
  freeBuffer(bytes);
  try {
    return await parseJsonInTurns(text);
  } catch (error) {
    throw error instanceof ServiceError ? error : refusalFor(error);
  }
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw malformed('it is not UTF-8');
  const text = bytes.toString('utf8');
  // some clients send a byte order mark, which JSON does not allow
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function refusalFor(error: unknown): ServiceError {
  if (!(error instanceof SyntaxError)) return malformed('it cannot be parsed');
  // these words quote the body, which may contain a password
  const [position = 'see the response'] = /at position \d+/.exec(error.message) ?? [];
  return malformed(error.message, position);
}

function malformed(why: string, logged = why): ServiceError {
  const said = (reason: string) => `The body is not valid JSON: ${reason}`;
  const details = [{ path: '', message: said(why) }];
  return new ServiceError('VALIDATION_ERROR', said(why), { details, logMessage: said(logged) });
}
