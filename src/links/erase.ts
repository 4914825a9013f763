import { writeEach } from '../app/write-each.ts';
import type { AccountId, ClickId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { eraseVisit, findVisit, type VisitDetails } from './queries/clicks.ts';

/** What these clicks store about their visitor. */
export async function visitsOf(
  tx: Transaction,
  accountId: AccountId,
  clickIds: readonly ClickId[],
): Promise<VisitDetails[]> {
  const visits: VisitDetails[] = [];
  for (const clickId of clickIds) {
    const visit = await findVisit(tx, accountId, clickId);
    if (visit) visits.push(visit);
  }
  return visits;
}

/** Erases what these clicks store about their visitor. The clicks stay and still count. */
export async function eraseVisits(tx: Transaction, accountId: AccountId, clickIds: readonly ClickId[]): Promise<void> {
  await writeEach(clickIds, (clickId) => eraseVisit(tx, accountId, clickId));
}
