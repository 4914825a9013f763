import type { TraceStep } from '../../core/attribution.ts';
import type { PaymentReceived } from '../../core/facts.ts';
import type { AccountId, PaymentId } from '../../core/ids.ts';
import type { PaymentProcessor } from '../../core/processor.ts';
import type { Transaction } from '../../storage/database.ts';
import { type Filters, listParameters, type PageBounds, pageSql } from '../../storage/list-filters.ts';

export interface ParkedView {
  id: PaymentId;
  processor: PaymentProcessor;
  fact: PaymentReceived;
  /** Everything that was tried. */
  steps: TraceStep[];
  occurredAt: number;
  expiresAt: number;
}

type ParkedRow = Omit<ParkedView, 'fact' | 'steps'> & { fact: string; steps: string };

const SELECT = `SELECT k.id, k.processor, k.fact, k.steps, k.occurred_at AS "occurredAt", k.expires_at AS "expiresAt"
  FROM payments k`;

const NARROW = { time: 'k.created_at', columns: { processor: 'k.processor' } };

/** Newest first. Includes expired payments, which can only be attributed by hand. */
export async function findParked(
  tx: Transaction,
  accountId: AccountId,
  filters: Filters,
  bounds: PageBounds,
): Promise<ParkedView[]> {
  const page = pageSql(filters, { alias: 'k', columns: {}, walks: {}, narrow: NARROW });
  const sql = `${SELECT} WHERE k.state = 'parked' AND ${page}`;
  return (await tx.all<ParkedRow>(sql, { accountId, ...listParameters(filters, bounds) })).map(asParkedView);
}

export async function findParkedPayment(
  tx: Transaction,
  accountId: AccountId,
  id: string,
): Promise<ParkedView | undefined> {
  const row = await tx.get<ParkedRow>(
    `${SELECT} WHERE k.account_id = @accountId AND k.state = 'parked' AND k.id = @id`,
    {
      accountId,
      id,
    },
  );
  return row && asParkedView(row);
}

function asParkedView({ fact, steps, ...row }: ParkedRow): ParkedView {
  return { ...row, fact: JSON.parse(fact), steps: JSON.parse(steps) };
}
