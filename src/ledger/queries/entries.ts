import type { AccountId, EntryId, PartnerId, SaleId } from '../../core/ids.ts';
import type { EntryKind, LedgerSums } from '../../core/ledger.ts';
import { clampedSum } from '../../storage/conditions/safe-sums.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyRows } from '../../storage/many-rows.ts';

/** A type, not an interface, so that it can serve as a row of parameters. */
export type NewLedgerEntry = {
  id: EntryId;
  accountId: AccountId;
  partnerId: PartnerId;
  saleId: SaleId | null;
  kind: EntryKind;
  /** Signed minor units. */
  amount: number;
  currency: string;
  reason: string | null;
  availableAt: number;
  createdAt: number;
  /** `availableAt`, or `UNDECIDED_DUE_AT`. */
  dueAt: number;
};

/** Appends entries. No query ever changes or deletes one. */
export const insertEntries = manyRows<Exclude<keyof NewLedgerEntry, 'dueAt'>>({
  before: `INSERT INTO ledger_entries
    (id, account_id, partner_id, sale_id, kind, amount, currency, reason, available_at, created_at) VALUES`,
  names: ['id', 'accountId', 'partnerId', 'saleId', 'kind', 'amount', 'currency', 'reason', 'availableAt', 'createdAt'],
  after: '',
});

/** Adds the entries to those that the next payouts will pay. */
export const insertOpenEntries = manyRows<Exclude<keyof NewLedgerEntry, 'availableAt' | 'reason'>>({
  before: `INSERT INTO open_entries
    (entry_id, account_id, partner_id, sale_id, kind, amount, currency, due_at, created_at) VALUES`,
  names: ['id', 'accountId', 'partnerId', 'saleId', 'kind', 'amount', 'currency', 'dueAt', 'createdAt'],
  after: '',
});

/** A type, not an interface, so that it can serve as a row of parameters. */
export type AddedToDay = {
  partnerId: PartnerId;
  currency: string;
  /** UTC days since 1970. */
  day: number;
  dueDay: number;
  /** Minor units; `reversed` is positive for amounts that were reversed. */
  earned: number;
  reversed: number;
};

const putDays = manyRows<keyof AddedToDay | 'inPayouts' | 'paid'>({
  before: 'INSERT INTO ledger_days (partner_id, currency, day, due_day, earned, reversed, in_payouts, paid) VALUES',
  names: ['partnerId', 'currency', 'day', 'dueDay', 'earned', 'reversed', 'inPayouts', 'paid'],
  after: `ON CONFLICT (partner_id, currency, day, due_day)
    DO UPDATE SET earned = ledger_days.earned + excluded.earned, reversed = ledger_days.reversed + excluded.reversed`,
});

/** Adds to the ledger's daily sums. Each day appears once; they are locked in the given order. */
export function addToDays(tx: Transaction, days: readonly AddedToDay[]): Promise<number> {
  return putDays(
    tx,
    days.map((day) => ({ ...day, inPayouts: 0, paid: 0 })),
  );
}

/** All commissions and adjustments of a partner in a currency, before reversals; capped at ±(2^53 − 1). */
export async function sumEarned(tx: Transaction, partnerId: PartnerId, currency: string): Promise<number> {
  const sum = await tx.get<{ earned: number }>(
    `SELECT ${clampedSum('g.earned')} AS earned
     FROM (SELECT COALESCE(SUM(d.earned), 0) AS earned
       FROM ledger_days d WHERE d.partner_id = @partnerId AND d.currency = @currency) g`,
    { partnerId, currency },
  );
  return sum?.earned ?? 0;
}

/** The ledger's sums for one sale. */
export async function ledgerSumsOf(tx: Transaction, saleId: SaleId): Promise<LedgerSums> {
  const rows = await tx.all<{ kind: EntryKind; amount: number }>(
    `SELECT e.kind, CAST(SUM(e.amount) AS BIGINT) AS amount
     FROM ledger_entries e WHERE e.sale_id = @saleId GROUP BY e.kind`,
    { saleId },
  );
  const of = (...kinds: EntryKind[]) =>
    rows.filter((row) => kinds.includes(row.kind)).reduce((sum, row) => sum + row.amount, 0);
  return {
    commissionMinor: of('commission', 'adjustment'),
    reversalMinor: of('reversal'),
    holdMinor: of('dispute_hold', 'dispute_release'),
  };
}

/** The commission of a sale, its corrections and what refunds took back, in any order. */
export function findFinalEntries(tx: Transaction, saleId: SaleId) {
  return tx.all<{ id: EntryId; kind: EntryKind; amount: number }>(
    `SELECT e.id, e.kind, e.amount FROM ledger_entries e
     WHERE e.sale_id = @saleId AND e.kind IN ('commission', 'adjustment', 'reversal')`,
    { saleId },
  );
}
