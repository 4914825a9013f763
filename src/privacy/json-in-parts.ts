import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** The lists in a resource, whose items are put together when they are sent. */
export type ListsOf<Resource> = {
  [Name in keyof Resource as Resource[Name] extends readonly unknown[]
    ? Name
    : never]: Resource[Name] extends readonly (infer Item)[] ? Iterable<Item> | AsyncIterable<Item> : never;
};

const CHARACTERS_PER_PART = 64 * 1024;

export function* itemsOf<Row, Item>(rows: readonly Row[], asItem: (row: Row) => Item): Generator<Item> {
  for (const row of rows) yield asItem(row);
}

/**
 * A JSON object with these members, then these lists, in parts: an item is put together after the part before it, and other
 * requests have their turn between two parts.
 */
export async function* jsonInParts(
  members: object,
  lists: Readonly<Record<string, Iterable<unknown> | AsyncIterable<unknown>>>,
): AsyncGenerator<string> {
  let part = JSON.stringify(members).slice(0, -1);
  for (const [name, items] of Object.entries(lists)) {
    part += `,${JSON.stringify(name)}:[`;
    let separator = '';
    for await (const item of items) {
      part += separator + JSON.stringify(item);
      separator = ',';
      if (part.length < CHARACTERS_PER_PART) continue;
      yield part;
      part = '';
      await yieldToEventLoop();
    }
    part += ']';
  }
  yield `${part}}\n`;
}
