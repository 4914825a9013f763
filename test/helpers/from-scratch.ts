import { expect } from 'vitest';
import { type EntryKind, UNDECIDED_DUE_AT } from '../../src/core/ledger.ts';
import { type Earnings, earningsFrom, type PayoutStatus } from '../../src/core/payout.ts';
import { isoTime } from '../../src/core/time.ts';
import type { Database } from '../../src/storage/database.ts';

const DAY_MS = 86_400_000;

interface Entry {
  id: string;
  accountId: string;
  partnerId: string;
  currency: string;
  kind: EntryKind;
  amount: number;
  saleId: string | null;
  availableAt: number;
  createdAt: number;
  isFlagged: number;
}

interface Payout {
  id: string;
  partnerId: string;
  currency: string;
  status: PayoutStatus;
  amount: number;
  entryCount: number;
  collectedAmount: number;
  collectedCount: number;
  isCollecting: number;
  isSettling: number;
}

/** True for a payout under way; the entries of others are open or paid. */
const isPaying = (status: PayoutStatus | null | undefined) => status === 'processing' || status === 'held';

interface Assignment {
  payoutId: string;
  entryId: string;
  live: number;
  saleId: string | null;
}

/** All money of one account, computed only from its entries and its payouts' states. */
export class FromScratch {
  readonly entries: Entry[] = [];
  readonly payouts: Payout[] = [];
  readonly assignments: Assignment[] = [];
  readonly #payoutOf = new Map<string, Payout>();
  readonly #database: Database;
  readonly #accountId: string;

  private constructor(database: Database, accountId: string) {
    this.#database = database;
    this.#accountId = accountId;
  }

  static async read(database: Database, accountId: string): Promise<FromScratch> {
    const scratch = new FromScratch(database, accountId);
    scratch.entries.push(
      ...(await scratch.#all<Entry>(`SELECT e.id, e.account_id AS "accountId", e.partner_id AS "partnerId", e.currency,
        e.kind, e.amount, e.sale_id AS "saleId", e.available_at AS "availableAt", e.created_at AS "createdAt",
        CASE WHEN s.review = 'flagged' THEN 1 ELSE 0 END AS "isFlagged"
        FROM ledger_entries e LEFT JOIN sales s ON s.account_id = e.account_id AND s.id = e.sale_id
        WHERE e.account_id = @accountId ORDER BY e.id`)),
    );
    scratch.payouts.push(
      ...(await scratch.#all<Payout>(`SELECT id, partner_id AS "partnerId", currency, status, amount,
        entry_count AS "entryCount", collected_amount AS "collectedAmount", collected_count AS "collectedCount",
        CASE WHEN collecting_at IS NULL THEN 0 ELSE 1 END AS "isCollecting",
        CASE WHEN settling_after IS NULL THEN 0 ELSE 1 END AS "isSettling"
        FROM payouts WHERE account_id = @accountId ORDER BY id`)),
    );
    scratch.assignments.push(
      ...(await scratch.#all<Assignment>(`SELECT payout_id AS "payoutId", entry_id AS "entryId", live,
        sale_id AS "saleId" FROM payout_entries WHERE account_id = @accountId`)),
    );
    const payouts = new Map(scratch.payouts.map((payout) => [payout.id, payout]));
    for (const { payoutId, entryId, live } of scratch.assignments) {
      const payout = payouts.get(payoutId);
      if (live === 0 || payout === undefined) continue;
      expect(scratch.#payoutOf.has(entryId), `${entryId} is in one payout`).toBe(false);
      scratch.#payoutOf.set(entryId, payout);
    }
    return scratch;
  }

  /** Requires that every stored sum and status matches the entries. */
  async requireStored(): Promise<void> {
    const open = await this.#all(`SELECT entry_id AS id, partner_id AS "partnerId", currency, due_at AS "dueAt", kind,
      amount, sale_id AS "saleId", created_at AS "createdAt"
      FROM open_entries WHERE account_id = @accountId ORDER BY entry_id`);
    expect(open, 'open entries').toEqual(
      this.entries
        .filter(({ id }) => !this.#payoutOf.has(id))
        .map(({ id, partnerId, currency, kind, amount, saleId, createdAt, ...entry }) => {
          return { id, partnerId, currency, dueAt: dueAtOf(entry), kind, amount, saleId, createdAt };
        }),
    );
    expect(await this.#storedLedgerDays(), 'sums per day').toEqual(this.#ledgerDays());
    expect(await this.#storedPayoutDays(), 'sums per day of payouts').toEqual(this.#payoutDays());
    for (const payout of this.payouts) this.#requirePayout(payout);
    this.#requireAssignments();
    const queues = this.payouts.filter(({ status }) => status === 'queued').map(keyOf);
    expect(new Set(queues).size, 'one queued payout each').toBe(queues.length);
    for (const entry of this.entries) expect(queues).toContain(keyOf(entry));
  }

  /** As the API answers: by currency, for the entries created from `from` (included) to `to` (excluded). */
  earnings(partnerId: string, { from, to, at }: { from: number; to: number; at: number }): Earnings[] {
    const entries = this.entries.filter(
      (entry) => entry.partnerId === partnerId && entry.createdAt >= from && entry.createdAt < to,
    );
    return earningsFrom(
      entries.map((entry) => ({
        ...{ currency: entry.currency, kind: entry.kind, amountMinor: entry.amount },
        payoutStatus: this.#payoutStatusOf(entry),
        isDue: dueAtOf(entry) <= at,
      })),
    );
  }

  earningsByDay(partnerId: string, { from, to, at }: { from: number; to: number; at: number }) {
    const days = [];
    for (let day = Math.floor(from / DAY_MS) * DAY_MS; day < to; day += DAY_MS) {
      const part = { from: Math.max(from, day), to: Math.min(to, day + DAY_MS), at };
      days.push(...this.earnings(partnerId, part).map((earnings) => ({ from: isoTime(day), ...earnings })));
    }
    return days;
  }

  /** A payout under way also contains what it has collected so far; a failed one contains nothing. */
  #payoutStatusOf({ id }: Entry): PayoutStatus | null {
    const status = this.#payoutOf.get(id)?.status ?? null;
    if (status === 'queued') return this.#payoutOf.get(id)?.isSettling === 1 ? null : 'processing';
    return status === 'failed' || status === 'canceled' ? null : status;
  }

  #requirePayout(payout: Payout): void {
    const isIn = ({ id }: Entry) => this.#payoutOf.get(id) === payout;
    const live = sumOf(this.entries.filter(isIn));
    if (payout.status === 'queued') {
      const entries = this.entries.filter((entry) => keyOf(entry) === keyOf(payout));
      const status = (entry: Entry) => this.#payoutOf.get(entry.id)?.status;
      const own = entries.filter((entry) => !isPaying(status(entry)) && status(entry) !== 'paid');
      const { amount, entryCount, collectedAmount, collectedCount, isSettling } = payout;
      expect({ amount, entryCount }, 'a queued payout').toEqual(sumOf(own));
      const collected = isSettling === 1 ? { amount: 0, entryCount: 0 } : live;
      expect({ amount: collectedAmount, entryCount: collectedCount }, 'what is collected').toEqual(collected);
      if (live.entryCount > 0) expect(payout.isCollecting + isSettling, 'collecting or settling').toBe(1);
      return;
    }
    const assigned = new Set(this.assignments.filter(({ payoutId }) => payoutId === payout.id).map((a) => a.entryId));
    const { amount, entryCount } = payout;
    expect({ amount, entryCount }, 'a payout').toEqual(sumOf(this.entries.filter(({ id }) => assigned.has(id))));
    if (payout.isSettling === 1) return;
    const isLive = isPaying(payout.status) || payout.status === 'paid';
    expect(live.entryCount, 'live entries').toBe(isLive ? entryCount : 0);
  }

  #requireAssignments(): void {
    const payouts = new Map(this.payouts.map((payout) => [payout.id, payout]));
    const entries = new Map(this.entries.map((entry) => [entry.id, entry]));
    for (const { payoutId, entryId, live, saleId } of this.assignments) {
      const payout = payouts.get(payoutId);
      const entry = entries.get(entryId);
      if (live === 2) expect(payout?.status).toBe('paid');
      if (live === 1 && payout?.status === 'paid') expect(payout.isSettling).toBe(1);
      expect(saleId).toBe(entry?.kind === 'commission' ? entry.saleId : null);
    }
  }

  #ledgerDays(): Record<string, object> {
    const days: Record<string, { earned: number; reversed: number; inPayouts: number; paid: number }> = {};
    for (const entry of this.entries) {
      const key = `${keyOf(entry)} ${daysOf(entry)}`;
      days[key] ??= { earned: 0, reversed: 0, inPayouts: 0, paid: 0 };
      if (entry.kind === 'commission' || entry.kind === 'adjustment') days[key].earned += entry.amount;
      else days[key].reversed -= entry.amount;
      const status = this.#payoutStatusOf(entry);
      if (isPaying(status)) days[key].inPayouts += entry.amount;
      if (status === 'paid') days[key].paid += entry.amount;
    }
    return withoutZeros(days);
  }

  async #storedLedgerDays(): Promise<Record<string, object>> {
    const rows = await this.#all<Record<'key', string> & Record<string, number>>(
      `SELECT d.partner_id || ' ' || d.currency || ' ' || d.day || ' ' || d.due_day AS key, d.earned, d.reversed,
         d.in_payouts AS "inPayouts", d.paid
       FROM ledger_days d JOIN partners p ON p.id = d.partner_id WHERE p.account_id = @accountId`,
    );
    return withoutZeros(Object.fromEntries(rows.map(({ key, ...sums }) => [key, sums])));
  }

  #payoutDays(): Record<string, object> {
    const days: Record<string, { amount: number }> = {};
    for (const entry of this.entries) {
      if (!isPaying(this.#payoutStatusOf(entry))) continue;
      const key = `${this.#payoutOf.get(entry.id)?.id} ${daysOf(entry)}`;
      days[key] ??= { amount: 0 };
      days[key].amount += entry.amount;
    }
    return withoutZeros(days);
  }

  async #storedPayoutDays(): Promise<Record<string, object>> {
    const rows = await this.#all<{ key: string; amount: number }>(
      `SELECT d.payout_id || ' ' || d.day || ' ' || d.due_day AS key, d.amount
       FROM payout_days d JOIN payouts p ON p.id = d.payout_id WHERE p.account_id = @accountId`,
    );
    return withoutZeros(Object.fromEntries(rows.map(({ key, amount }) => [key, { amount }])));
  }

  #all<Row>(sql: string): Promise<Row[]> {
    return this.#database.report((tx) => tx.all<Row>(sql, { accountId: this.#accountId }));
  }
}

function dueAtOf({ availableAt, isFlagged }: Pick<Entry, 'availableAt' | 'isFlagged'>): number {
  return isFlagged === 1 ? UNDECIDED_DUE_AT : availableAt;
}

function daysOf(entry: Entry): string {
  const day = Math.floor(entry.createdAt / DAY_MS);
  return `${day} ${Math.max(day, Math.floor(dueAtOf(entry) / DAY_MS))}`;
}

function keyOf({ partnerId, currency }: { partnerId: string; currency: string }): string {
  return `${partnerId} ${currency}`;
}

function sumOf(entries: readonly Entry[]) {
  return { amount: entries.reduce((sum, { amount }) => sum + amount, 0), entryCount: entries.length };
}

/** A day whose sums are all zero may or may not be stored. */
function withoutZeros<Sums extends object>(days: Record<string, Sums>): Record<string, Sums> {
  return Object.fromEntries(Object.entries(days).filter(([, sums]) => Object.values(sums).some((sum) => sum !== 0)));
}
