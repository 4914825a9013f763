import type { AccountId } from '../core/ids.ts';
import type { Database } from '../storage/database.ts';
import { groupPartners } from './partner-ranges.ts';
import type { PartnerRange } from './queries/partner-ranges.ts';
import { countResultDays, findResultDays, walkLeads, walkSales } from './queries/results-walks.ts';
import { SumTable } from './sum-table.ts';
import { SuspectDays } from './suspect-days.ts';
import { countRows, walk } from './walk.ts';

/** Of the sums per day: leads, sales, revenue, commission. */
const COLUMNS = 4;

/**
 * Compares the results per day of all partners of an account with its leads and sales, each of which is read once in
 * the order of ids. Returns the days of partners that differ. No difference is missed, but concurrent writes can look
 * like one.
 *
 * @param onPage gets the number of rows read so far, now and then
 */
export async function findSuspectResults(
  database: Database,
  accountId: AccountId,
  onPage: (count: number) => void,
): Promise<SuspectDays> {
  const suspects = new SuspectDays();
  const onRows = countRows(onPage);
  for (const { range, pieces } of await groupPartners(database, accountId, countResultDays)) {
    const table = new SumTable(COLUMNS);
    for (const piece of pieces) await addStored(database, table, piece);
    await subtractLeads({ database, onRows }, table, range);
    await subtractSales({ database, onRows }, table, range);
    for (const { owner, day } of table.differences()) suspects.add(owner, day);
  }
  return suspects;
}

async function addStored(database: Database, table: SumTable, piece: PartnerRange): Promise<void> {
  for (const stored of await database.report((tx) => findResultDays(tx, piece))) {
    const { leads, sales, revenue, commission } = stored;
    table.add({ ...stored, dueDay: stored.day }, leads, sales, revenue, commission);
  }
}

interface Reading {
  database: Database;
  onRows(rows: number): void;
}

async function subtractLeads({ database, onRows }: Reading, table: SumTable, range: PartnerRange): Promise<void> {
  for await (const page of walk(database, (tx, afterId, limit) => walkLeads(tx, range, afterId, limit))) {
    for (const { owner, part, day } of page) table.add({ owner, part, currency: '', day, dueDay: day }, -1);
    onRows(page.length);
  }
}

async function subtractSales({ database, onRows }: Reading, table: SumTable, range: PartnerRange): Promise<void> {
  for await (const page of walk(database, (tx, afterId, limit) => walkSales(tx, range, afterId, limit))) {
    for (const { owner, part, currency, day, isVoided, amount, commission } of page) {
      const key = { owner, part, currency, day, dueDay: day };
      if (isVoided === 1) table.add(key, 0, 0, 0, -commission);
      else table.add(key, 0, -1, -amount, -commission);
    }
    onRows(page.length);
  }
}
