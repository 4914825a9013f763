import type { TraceStep } from '../../core/attribution.ts';
import type { PaymentReceived } from '../../core/facts.ts';
import type { AccountId, PaymentId } from '../../core/ids.ts';
import type { PaymentProcessor } from '../../core/processor.ts';
import type { Transaction } from '../../storage/database.ts';
import type { PageBounds } from '../../storage/list-filters.ts';

export interface ParkedView {
  id: PaymentId;
  processor: PaymentProcessor;
  fact: PaymentReceived;
  /** What was tried. */
  steps: TraceStep[];
  occurredAt: number;
  expiresAt: number;
}

type ParkedRow = Omit<ParkedView, 'fact' | 'steps'> & { fact: string; steps: string };

const PARKED = `SELECT id, processor, fact, steps, occurred_at AS "occurredAt", expires_at AS "expiresAt"
  FROM payments WHERE account_id = @accountId AND state = 'parked'`;

/** The newest first, including expired ones, which can only be attributed by hand. */
export async function findParked(tx: Transaction, accountId: AccountId, bounds: PageBounds): Promise<ParkedView[]> {
  const sql = `${PARKED} AND id < @beforeId ORDER BY id DESC LIMIT @limit`;
  return (await tx.all<ParkedRow>(sql, { accountId, ...bounds })).map(asParkedView);
}

export async function findParkedPayment(
  tx: Transaction,
  accountId: AccountId,
  id: string,
): Promise<ParkedView | undefined> {
  const row = await tx.get<ParkedRow>(`${PARKED} AND id = @id`, { accountId, id });
  return row && asParkedView(row);
}

function asParkedView({ fact, steps, ...row }: ParkedRow): ParkedView {
  return { ...row, fact: JSON.parse(fact), steps: JSON.parse(steps) };
}
