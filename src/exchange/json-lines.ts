import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { freeBuffer } from '../free-buffer.ts';
import { isObject } from '../schema/is-object.ts';
import type { StoredRow } from './queries/walk.ts';

/** Longer than any row: a webhook's body is 2 MiB at most. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

/** One line with its line break. Bytes become `{"base64": "…"}`; integers and texts stay as they are in JSON. */
export function encodeRow(row: StoredRow): string {
  const members = Object.entries(row).map(([column, value]) => [
    column,
    Buffer.isBuffer(value) ? { base64: value.toString('base64') } : value,
  ]);
  return `${JSON.stringify(Object.fromEntries(members))}\n`;
}

/** A multiple of 3, so that the base64 of each piece but the last has no padding; 60 KB of text. */
const BASE64_PIECE_BYTES = 45 * 1024;

/** What `encodeRow` returns in pieces, so that a webhook's body of 2 MiB is never a text as a whole. Gives its bytes back. */
export function* encodeRowInPieces(row: StoredRow): Generator<string> {
  let text = '{';
  for (const [column, value] of Object.entries(row)) {
    if (text !== '{') text += ',';
    text += `${JSON.stringify(column)}:`;
    if (Buffer.isBuffer(value)) {
      text += '{"base64":"';
      for (let start = 0; start < value.length; start += BASE64_PIECE_BYTES) {
        yield text + value.toString('base64', start, start + BASE64_PIECE_BYTES);
        text = '';
      }
      text += '"}';
      freeBuffer(value);
    } else text += JSON.stringify(value);
  }
  yield `${text}}\n`;
}

/** @throws Error when the line is not what `encodeRow` writes; the message completes "line 7 …" */
export function decodeRow(line: string): StoredRow {
  return Object.fromEntries(
    Object.entries(parseObject(line)).map(([column, value]) => [column, decodeValue(column, value)]),
  );
}

function decodeValue(column: string, value: unknown): StoredRow[string] {
  if (typeof value === 'string' || value === null) return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (isObject(value) && 'base64' in value && typeof value.base64 === 'string') {
    return Buffer.from(value.base64, 'base64');
  }
  throw new Error(`has a value in ${column} that it cannot hold`);
}

function parseObject(line: string): object {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (error) {
    throw new Error('is not JSON', { cause: error });
  }
  if (isObject(parsed)) return parsed;
  throw new Error('is not a JSON object');
}

/** The lines of a file, one at a time, without their line breaks. Only `\n` ends a line: texts may hold other breaks. */
export async function* readLines(path: string): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield Buffer.concat([...rest, chunk.subarray(start, end)]).toString('utf8');
      rest = [];
      restBytes = 0;
      start = end + 1;
    }
    rest.push(chunk.subarray(start));
    restBytes += chunk.length - start;
    if (restBytes > LINE_BYTES_MAX) throw new Error(`${path} has a line of more than 64 MiB`);
  }
  if (restBytes > 0) yield Buffer.concat(rest).toString('utf8');
}

/** The SHA-256 of a file in hexadecimal, with its size and number of line breaks. */
export async function checkFile(path: string): Promise<{ sha256: string; bytes: number; rows: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  let rows = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, end + 1)) rows += 1;
  }
  return { sha256: hash.digest('hex'), bytes, rows };
}
