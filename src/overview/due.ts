import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { type ProgramOverview, sumDue } from './queries/overview.ts';

/** What is due of the open entries in one currency, in minor units. */
export interface Due {
  currency: string;
  /** The sum of entries whose hold is over. */
  available: number;
  /** The part that a payout run would pay, and the number of payouts. */
  amount: number;
  count: number;
}

/** What is due in each of these currencies, in all programs of an account. */
export async function sumDueOfPrograms(
  tx: Transaction,
  accountId: AccountId,
  programs: readonly ProgramOverview[],
  { currencies, now }: { currencies: readonly string[]; now: number },
): Promise<Due[]> {
  const dues: Due[] = [];
  for (const currency of currencies) {
    const due = { currency, available: 0, amount: 0, count: 0 };
    for (const { id: programId, minimumPayout } of programs) {
      const minimum = Math.max(minimumPayout[currency] ?? 0, 1);
      const sums = await sumDue(tx, accountId, { programId, currency, minimum, now });
      due.available += sums.due;
      due.count += sums.payableCount;
      due.amount += sums.payable;
    }
    dues.push(due);
  }
  return dues;
}
