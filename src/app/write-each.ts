/** Few enough for the time limit of what is sent at once, however slow the database is. */
const WRITES_AT_ONCE = 100;

/** Writes for each item, without waiting between a hundred of them: on PostgreSQL, each wait is a round trip. */
export async function writeEach<Item>(items: readonly Item[], write: (item: Item) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < items.length; start += WRITES_AT_ONCE) {
    await Promise.all(items.slice(start, start + WRITES_AT_ONCE).map(write));
  }
}
