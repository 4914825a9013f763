import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Parsing so many characters takes two milliseconds, if they are names of members that differ from each other. */
export const CHARACTERS_PER_TURN = 64 * 1024;

const WHITESPACE_ONLY = /^[ \t\n\r]*$/;
/** What separates values; a string is found by its first quote. */
const STRUCTURE = /["[\]{},]/g;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** An array or object that is not closed yet. */
interface Open {
  start: number;
  /** Where its members are separated. */
  commas: number[];
  /** Those of its members that are large, and parsed already. */
  large: { start: number; end: number; value: unknown }[];
}

type Members = Record<string, unknown>;

/** Not JSON, or not recognized as such: the parser decides. */
class Unrecognized extends Error {}

/**
 * As `JSON.parse`, but a large array or object is put together from parts, and other requests have their turn between them:
 * 2 MiB with a hundred thousand different names take 60 ms at once.
 *
 * @throws SyntaxError as `JSON.parse`, which parses what is not JSON once more, so that the message is the same
 */
export async function parseJsonInTurns(text: string, turnLength = CHARACTERS_PER_TURN): Promise<unknown> {
  if (text.length <= turnLength) return JSON.parse(text);
  try {
    return await parseInParts(text, turnLength);
  } catch (error) {
    if (error instanceof Unrecognized || error instanceof SyntaxError) return JSON.parse(text);
    throw error;
  }
}

async function parseInParts(text: string, turnLength: number): Promise<unknown> {
  const root: Open = { start: -1, commas: [], large: [] };
  const opened: Open[] = [];
  let inner = root;
  let turnEndsAt = turnLength;
  for (let at = nextOf(text, 0); at !== -1; at = nextOf(text, at + 1)) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        break;
      case ',':
        inner.commas.push(at);
        break;
      case '[':
      case '{':
        opened.push(inner);
        inner = { start: at, commas: [], large: [] };
        break;
      default: {
        const outer = opened.pop();
        if (outer === undefined || text[inner.start] !== (text[at] === ']' ? '[' : '{')) throw new Unrecognized();
        const { start } = inner;
        if (at - start > turnLength) {
          const value = await partsOf(text, inner, { end: at, turnLength });
          outer.large.push({ start, end: at + 1, value });
          turnEndsAt = at + turnLength;
        }
        inner = outer;
      }
    }
    if (at < turnEndsAt) continue;
    await yieldToEventLoop();
    turnEndsAt = at + turnLength;
  }
  const [only] = root.large;
  if (inner !== root || only === undefined) throw new Unrecognized();
  const outside = text.slice(0, only.start) + text.slice(only.end);
  if (!WHITESPACE_ONLY.test(outside)) throw new Unrecognized();
  return only.value;
}

/** Stateless, because other texts are parsed between two turns. */
function nextOf(text: string, from: number): number {
  STRUCTURE.lastIndex = from;
  return STRUCTURE.test(text) ? STRUCTURE.lastIndex - 1 : -1;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    // what follows it is escaped
    if (code === BACKSLASH) at += 1;
  }
  throw new Unrecognized();
}

/** Puts a large array or object together: its large members are parsed, and the others are parsed as many at once. */
async function partsOf(
  text: string,
  { start, commas, large }: Open,
  { end, turnLength }: { end: number; turnLength: number },
): Promise<unknown> {
  const whole: unknown[] | Members = text[start] === '[' ? [] : {};
  let nextLarge = 0;
  let partStart = start + 1;
  let memberStart = partStart;
  const addUntil = async (partEnd: number) => {
    addPart(whole, text.slice(partStart, partEnd));
    await yieldToEventLoop();
  };
  for (const memberEnd of [...commas, end]) {
    const found = large[nextLarge];
    if (found !== undefined && found.start < memberEnd) {
      if (partStart < memberStart) await addUntil(memberStart - 1);
      addLarge(whole, text.slice(memberStart, found.start), found.value);
      if (!WHITESPACE_ONLY.test(text.slice(found.end, memberEnd))) throw new Unrecognized();
      nextLarge += 1;
      partStart = memberEnd + 1;
    } else if (memberEnd - partStart > turnLength || memberEnd === end) {
      await addUntil(memberEnd);
      partStart = memberEnd + 1;
    }
    memberStart = memberEnd + 1;
  }
  return whole;
}

/** Adds members that are written between two commas, or a bracket and a comma. */
function addPart(whole: unknown[] | Members, members: string): void {
  // the parser would take nothing for no members
  if (WHITESPACE_ONLY.test(members)) throw new Unrecognized();
  if (Array.isArray(whole)) for (const value of JSON.parse(`[${members}]`)) whole.push(value);
  else for (const [name, value] of Object.entries(JSON.parse(`{${members}}`))) setMember(whole, name, value);
}

/** @param before what is written before the value: nothing in an array, its name in an object */
function addLarge(whole: unknown[] | Members, before: string, value: unknown): void {
  if (Array.isArray(whole)) {
    if (!WHITESPACE_ONLY.test(before)) throw new Unrecognized();
    whole.push(value);
    return;
  }
  const [name, ...others] = Object.keys(JSON.parse(`{${before}[]}`));
  if (name === undefined || others.length > 0) throw new Unrecognized();
  setMember(whole, name, value);
}

/** As the parser does, for which `__proto__` is a name like any other. */
function setMember(whole: Members, name: string, value: unknown): void {
  if (name !== '__proto__') whole[name] = value;
  else Object.defineProperty(whole, name, { value, writable: true, enumerable: true, configurable: true });
}
