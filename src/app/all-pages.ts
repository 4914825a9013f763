import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { FIRST_ID } from '../core/ids.ts';

/**
 * Everything that `read` finds, page by page in the order of ids. Each page is read only after the previous one has been
 * consumed and other work had its turn.
 *
 * @param limit the size of a page; a shorter one is the last, whatever is added after it was read
 */
export async function* allPages<Row extends { id: string }>(
  limit: number,
  read: (page: { afterId: string; limit: number }) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let afterId: string = FIRST_ID; ; ) {
    const rows = await read({ afterId, limit });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < limit) return;
    afterId = last.id;
    await yieldToEventLoop();
  }
}
