import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { LEVELS_MAX } from '../schema/large-json.ts';
import { RawReply } from './route.ts';

/** Writing so many characters as JSON takes about a millisecond, if all of them are escaped. */
export const CHARACTERS_PER_PART = 64 * 1024;

/** A larger character takes two units of a text, a pair of surrogates. */
const UNIT_MAX = 0xffff;

/** True when a member is a text that takes milliseconds to write as JSON: two million quotation marks take 30. */
export function hasLongText(members: object): boolean {
  return Object.values(members).some((value) => typeof value === 'string' && value.length > CHARACTERS_PER_PART);
}

/** The object as `JSON.stringify` writes it, with its long texts in parts of about this length. */
export function* jsonObject(members: object, partLength = CHARACTERS_PER_PART): Generator<string> {
  let separator = '{';
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    if (typeof value === 'string') yield* jsonText(value, partLength);
    else yield JSON.stringify(value);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

function* jsonText(text: string, partLength: number): Generator<string> {
  yield '"';
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + partLength;
    // each half of a pair would be escaped
    if ((text.codePointAt(end - 1) ?? 0) > UNIT_MAX) end += 1;
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
  }
  yield '"';
}

/** Parsed JSON as `JSON.stringify` writes it; other requests have their turn between its parts. */
export async function jsonInTurns(value: unknown): Promise<string> {
  const parts: string[] = [];
  let part = '';
  for (const piece of piecesOf(value, LEVELS_MAX)) {
    part += piece;
    if (part.length < CHARACTERS_PER_PART) continue;
    parts.push(part);
    part = '';
    await yieldToEventLoop();
  }
  return parts.join('') + part;
}

function* piecesOf(value: unknown, levelsLeft: number): Generator<string> {
  if (!isNested(value) || levelsLeft === 0) return yield JSON.stringify(value);
  const isArray = Array.isArray(value);
  let separator = isArray ? '[' : '{';
  for (const [name, member] of Object.entries(value)) {
    yield isArray ? separator : `${separator}${JSON.stringify(name)}:`;
    yield* piecesOf(member, levelsLeft - 1);
    separator = ',';
  }
  yield isArray ? ']' : '}';
}

/** Anything else is written at once. */
function isNested(value: unknown): value is object {
  const isContainer = typeof value === 'object' && value !== null;
  return isContainer && Object.values(value).some((member) => typeof member === 'object' && member !== null);
}

/** Answers with an object that has a long text; other requests have their turn between its parts. */
export function longTextReply(members: object): RawReply {
  return new RawReply(200, { 'Content-Type': 'application/json; charset=utf-8' }, inTurns(jsonObject(members)));
}

async function* inTurns(parts: Iterable<string>): AsyncGenerator<string> {
  for (const part of parts) {
    yield part;
    if (part.length >= CHARACTERS_PER_PART) await yieldToEventLoop();
  }
  yield '\n';
}
