import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { sumDueOfPrograms } from './due.ts';
import {
  COUNT_MAX,
  countAttention,
  findPrograms,
  findSetup,
  type PayoutSums,
  type ProgramOverview,
  sumPayouts,
  sumPayoutsUnderWay,
} from './queries/overview.ts';
import type { Overview } from './schemas.ts';

/**
 * The first information that an operator needs: what needs attention, what is owed and what still has to be set up. The
 * cost grows with the open items and the number of payouts, not with the length of the history.
 */
export function getOverview(service: Service, accountId: AccountId): Promise<Overview> {
  const now = service.clock();
  return service.database.report(async (tx) => {
    const { name, programs } = await findPrograms(tx, accountId);
    const [only, ...others] = programs;
    return {
      account: { id: accountId, name },
      programs: programs.map((program) => ({ id: program.id, name: program.name })),
      programId: only !== undefined && others.length === 0 ? only.id : null,
      attention: await attentionOf(tx, accountId),
      ...(await moneyOf(tx, accountId, programs, now)),
      setup: await findSetup(tx, accountId),
    };
  });
}

async function attentionOf(tx: Transaction, accountId: AccountId): Promise<Overview['attention']> {
  const counts = await countAttention(tx, accountId);
  const bounded = (count: number) => ({ count: Math.min(count, COUNT_MAX), isMore: count > COUNT_MAX });
  return {
    failedDeliveries: bounded(counts.failedDeliveries),
    deadDeliveries: bounded(counts.deadDeliveries),
    parkedPayments: bounded(counts.parkedPayments),
    flaggedSales: bounded(counts.flaggedSales),
    processingPayouts: bounded(counts.processingPayouts),
    heldPayouts: bounded(counts.heldPayouts),
    openDisputes: bounded(counts.openDisputes),
  };
}

async function moneyOf(
  tx: Transaction,
  accountId: AccountId,
  programs: readonly ProgramOverview[],
  now: number,
): Promise<Pick<Overview, 'payouts' | 'owed'>> {
  const open = await sumPayouts(tx, accountId, { status: 'queued' });
  const currencies = open.map(({ currency }) => currency);
  const dues = await sumDueOfPrograms(tx, accountId, programs, { currencies, now });
  const payouts = dues
    .filter(({ count }) => count > 0)
    .map(({ currency, count, amount }) => ({ currency, count, amount }));
  const available = Object.fromEntries(dues.map((due) => [due.currency, due.available]));
  const held = open.map((sums) => ({ ...sums, amount: sums.amount - (available[sums.currency] ?? 0) }));
  const processing = await sumPayoutsUnderWay(tx, accountId);
  const heldPayouts = await sumPayouts(tx, accountId, { status: 'held' });
  const paid = await sumPayouts(tx, accountId, { status: 'paid' });
  const owed = {
    held: byCurrency(held),
    available,
    processing: byCurrency(processing),
    heldPayouts: byCurrency(heldPayouts),
    paid: byCurrency(paid),
  };
  return { payouts, owed };
}

function byCurrency(sums: readonly PayoutSums[]): Record<string, number> {
  return Object.fromEntries(sums.map(({ currency, amount }) => [currency, amount]));
}
