import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Writing so many characters as JSON and sending them takes one or two milliseconds. */
const CHARACTERS_PER_PART = 512 * 1024;

/** What the lists of the API answer. */
interface List {
  data: readonly unknown[];
}

export function isList(answer: object): answer is List {
  return 'data' in answer && Array.isArray(answer.data);
}

/**
 * A list as `JSON.stringify` writes it, with a line break at the end: whole, or in parts if it is long, between which other
 * requests have their turn.
 */
export function listAsJson(list: List): string | AsyncIterable<string> {
  const parts = partsOf(list);
  const [first, second] = [parts.next(), parts.next()];
  if (second.done) return first.value ?? '';
  return inTurns([first.value ?? '', second.value], parts);
}

async function* inTurns(begun: readonly string[], parts: Iterable<string>): AsyncGenerator<string> {
  yield* begun;
  await yieldToEventLoop();
  for (const part of parts) {
    yield part;
    await yieldToEventLoop();
  }
}

function* partsOf(list: List): Generator<string, undefined> {
  let part = '{';
  for (const [name, value] of Object.entries(list)) {
    if (value === undefined) continue;
    if (part !== '{') part += ',';
    part += `${JSON.stringify(name)}:`;
    if (name !== 'data') {
      part += JSON.stringify(value);
      continue;
    }
    let separator = '[';
    for (const item of list.data) {
      if (part.length >= CHARACTERS_PER_PART) {
        yield part;
        part = '';
      }
      part += separator + JSON.stringify(item);
      separator = ',';
    }
    part += separator === '[' ? '[]' : ']';
  }
  yield `${part}}\n`;
}
