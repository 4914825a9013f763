import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { CHARACTERS_PER_PART, hasLongText, jsonObject } from '../app/json-object.ts';

/** The lists in a resource, whose items are put together when they are sent. */
export type ListsOf<Resource> = {
  [Name in keyof Resource as Resource[Name] extends readonly unknown[]
    ? Name
    : never]: Resource[Name] extends readonly (infer Item)[] ? Iterable<Item> | AsyncIterable<Item> : never;
};

export function* itemsOf<Row, Item>(rows: readonly Row[], asItem: (row: Row) => Item): Generator<Item> {
  for (const row of rows) yield asItem(row);
}

/**
 * A JSON object with these members, then these lists, in parts: an item is put together after the part before it, a long text
 * in it is cut, and other requests have their turn between two parts.
 */
export async function* jsonInParts(
  members: object,
  lists: Readonly<Record<string, Iterable<object> | AsyncIterable<object>>>,
): AsyncGenerator<string> {
  let part = JSON.stringify(members).slice(0, -1);
  for (const [name, items] of Object.entries(lists)) {
    part += `,${JSON.stringify(name)}:[`;
    let separator = '';
    for await (const item of items) {
      part += separator;
      separator = ',';
      for (const piece of piecesOf(item)) {
        part += piece;
        if (part.length < CHARACTERS_PER_PART) continue;
        yield part;
        part = '';
        await yieldToEventLoop();
      }
    }
    part += ']';
  }
  yield `${part}}\n`;
}

function piecesOf(item: object): Iterable<string> {
  return hasLongText(item) ? jsonObject(item) : [JSON.stringify(item)];
}
