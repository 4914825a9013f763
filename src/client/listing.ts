/** A page of a list. */
interface Page {
  data: readonly unknown[];
  nextCursor: string | null;
}

type ItemOf<P extends Page> = P['data'][number];

/**
 * A list: awaited, it is one page; iterated, it is every item, page by page.
 *
 * ```ts
 * const { data, nextCursor } = await client.sales.list({ limit: 50 });
 * for await (const sale of client.sales.list({ status: 'pending' })) …
 * ```
 */
export interface Listing<P extends Page> extends PromiseLike<P>, AsyncIterable<ItemOf<P>> {
  /** Every page, from the given cursor on. */
  pages(): AsyncIterable<P>;
}

/** A list whose pages `fetchPage` returns by their cursor. Nothing is fetched before it is awaited or iterated. */
export function createListing<P extends Page>(fetchPage: (cursor: string | null) => Promise<P>): Listing<P> {
  // awaiting the same list again answers the same page
  let first: Promise<P> | null = null;
  const firstPage = () => {
    first ??= fetchPage(null);
    return first;
  };

  async function* pages(): AsyncGenerator<P, void, undefined> {
    for (let page = await fetchPage(null); ; page = await fetchPage(page.nextCursor)) {
      yield page;
      if (page.nextCursor === null) return;
    }
  }

  async function* items(): AsyncGenerator<ItemOf<P>, void, undefined> {
    for await (const { data } of pages()) yield* data as readonly Awaited<ItemOf<P>>[];
  }

  return {
    // biome-ignore lint/suspicious/noThenProperty: a list can be awaited, which fetches one page
    then: (onPage, onError) => firstPage().then(onPage, onError),
    pages,
    [Symbol.asyncIterator]: items,
  };
}
