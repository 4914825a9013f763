import { availableAt, commissionFor, type SaleTerms } from '../../src/core/commission.ts';
import type { PaidLines } from '../../src/core/facts.ts';
import { type EntryKind, entriesFor, type LedgerSums } from '../../src/core/ledger.ts';
import {
  type Earnings,
  type EntryGroup,
  earningsFrom,
  isUnderWay,
  isWorthPaying,
  type PayoutStatus,
  placeOf,
} from '../../src/core/payout.ts';
import { type Reversal, reversalOf } from '../../src/core/reversal.ts';
import { type Review, selfReferralFor } from '../../src/core/self-referral.ts';
import { currencyOf, type History, type Step } from './histories.ts';
import { PAID_LINES, Reported } from './reported.ts';

interface ModelSale {
  sale: number;
  partner: number;
  currency: string;
  amountMinor: number;
  grossMinor: number;
  amountBasis: SaleTerms['amountBasis'];
  terms: SaleTerms;
  isBare: boolean;
  paidLines: PaidLines | null;
  commissionMinor: number;
  availableAt: number;
  review: Review | null;
}

interface ModelEntry {
  partner: number;
  currency: string;
  sale: number | null;
  kind: EntryKind;
  amountMinor: number;
  availableAt: number;
  payout: ModelPayout | null;
}

interface ModelPayout {
  partner: number;
  currency: string;
  status: PayoutStatus;
  amountMinor: number;
  entries: ModelEntry[];
}

const DAY_MS = 86_400_000;
export const HISTORY_BEGIN = Date.UTC(2026, 0, 15, 12);
export const partnerEmail = (partner: number): string => `partner${partner}@example.com`;

/** An in-memory model of the ledger, built from the functions of the core; the databases must agree with it. */
export class MoneyModel {
  readonly entries: ModelEntry[] = [];
  readonly payouts: ModelPayout[] = [];
  readonly sales = new Map<number, ModelSale>();
  now = HISTORY_BEGIN;
  readonly #reported = new Map<number, Reported>();
  readonly #history: Pick<History, 'minimumPayout' | 'selfReferral'>;
  #terms: SaleTerms = {
    commission: { type: 'percentage', rateBasisPoints: 2000 },
    source: 'program',
    durationMonths: null,
    holdDays: 30,
    amountBasis: 'net',
  };

  constructor(history: Pick<History, 'minimumPayout' | 'selfReferral'>) {
    this.#history = history;
  }

  /** Returns whether the step had an effect: a missing payout cannot end. */
  apply(step: Step): boolean {
    switch (step.do) {
      case 'sale':
        return this.#sell(step);
      case 'refund':
      case 'failed refund':
      case 'cumulative refund':
      case 'dispute':
        this.#reportedOf(step.sale).add(step, this.now);
        this.#settle(step.sale);
        return true;
      case 'review':
        return this.#review(step.sale, step.decision);
      case 'adjustment':
        this.entries.push({ ...step, sale: null, kind: 'adjustment', availableAt: this.now, payout: null });
        return true;
      case 'terms':
        this.#terms = { ...this.#terms, ...step };
        return true;
      case 'pass':
        this.now += step.days * DAY_MS;
        return true;
      case 'run':
        this.#run();
        return true;
      case 'end':
        return this.#end(step.payout, step.end);
      case 'hold':
        return this.#end(step.payout, 'held');
    }
  }

  /** The payouts under way, in an order that a database can reproduce. */
  underWay(): ModelPayout[] {
    const key = ({ partner, currency }: ModelPayout) => `${partner} ${currency}`;
    return this.payouts.filter(({ status }) => isUnderWay(status)).sort((a, b) => (key(a) < key(b) ? -1 : 1));
  }

  earningsOf(partner: number): Earnings[] {
    const groups = this.entries
      .filter((entry) => entry.partner === partner)
      .map((entry): EntryGroup => ({ ...entry, ...this.#standingOf(entry) }));
    return earningsFrom(groups);
  }

  sumsOf(sale: number): LedgerSums {
    const sum = (...kinds: EntryKind[]) =>
      this.entries
        .filter((entry) => entry.sale === sale && kinds.includes(entry.kind))
        .reduce((total, entry) => total + entry.amountMinor, 0);
    return {
      commissionMinor: sum('commission', 'adjustment'),
      reversalMinor: sum('reversal'),
      holdMinor: sum('dispute_hold', 'dispute_release'),
    };
  }

  #sell(step: Extract<Step, { do: 'sale' }>): boolean {
    const { sale, partner, netMinor, taxMinor, bySelf, isBare } = step;
    const paidLines = step.isLined ? PAID_LINES : null;
    const currency = currencyOf(sale);
    const grossMinor = netMinor + taxMinor;
    const known = this.sales.get(sale);
    if (grossMinor === 0 || (known && (!known.isBare || isBare))) return false;
    const terms = known?.terms ?? this.#terms;
    const amountMinor = terms.amountBasis === 'gross' || isBare ? grossMinor : netMinor;
    const { amountMinor: commissionMinor } = commissionFor(
      { amountMinor, currency, occurredAt: this.now },
      terms,
      null,
    );
    if (known) {
      this.#correct(known, { amountMinor, grossMinor, commissionMinor, paidLines });
      return true;
    }
    const email = partnerEmail(partner);
    const buyer = bySelf ? email : null;
    const review = selfReferralFor(this.#history.selfReferral, { id: `${partner}`, email }, [buyer])?.review ?? null;
    const due = availableAt(this.now, terms.holdDays);
    this.sales.set(sale, {
      sale,
      partner,
      currency,
      amountMinor,
      grossMinor,
      amountBasis: terms.amountBasis,
      terms,
      isBare,
      paidLines,
      commissionMinor,
      availableAt: due,
      review,
    });
    if (commissionMinor > 0) this.#append(sale, 'commission', commissionMinor);
    this.#settle(sale);
    return true;
  }

  #correct(
    known: ModelSale,
    amounts: Pick<ModelSale, 'amountMinor' | 'grossMinor' | 'commissionMinor' | 'paidLines'>,
  ): void {
    const difference = amounts.commissionMinor - known.commissionMinor;
    const kind = known.commissionMinor === 0 ? 'commission' : 'adjustment';
    Object.assign(known, amounts, { isBare: false });
    if (difference !== 0) this.#append(known.sale, kind, difference);
    this.#settle(known.sale);
  }

  #review(sale: number, decision: Review): boolean {
    const reviewed = this.sales.get(sale);
    if (reviewed?.review !== 'flagged') return false;
    reviewed.review = decision;
    this.#settle(sale);
    return true;
  }

  #settle(sale: number): void {
    const settled = this.sales.get(sale);
    if (settled === undefined) return;
    const target: Reversal = this.reversalOf(sale);
    for (const { kind, amountMinor } of entriesFor(this.sumsOf(sale), target)) this.#append(sale, kind, amountMinor);
  }

  reversalOf(sale: number): Reversal {
    const settled = this.sales.get(sale);
    if (settled === undefined) throw new Error(`There is no sale ${sale}`);
    const { refunds, disputes } = this.#reportedOf(sale);
    const reversible = { ...settled, presentedMinor: null, voided: settled.review === 'rejected' };
    return reversalOf(reversible, refunds, [...disputes.values()]);
  }

  #append(sale: number, kind: EntryKind, amountMinor: number): void {
    const settled = this.sales.get(sale);
    if (settled === undefined) throw new Error(`There is no sale ${sale}`);
    const { partner, currency, availableAt: due } = settled;
    this.entries.push({ partner, currency, sale, kind, amountMinor, availableAt: due, payout: null });
  }

  #run(): void {
    const due = this.entries.filter((entry) => entry.payout === null && placeOf(this.#standingOf(entry)) === 'payable');
    for (const entries of Map.groupBy(due, ({ partner, currency }) => `${partner} ${currency}`).values()) {
      const [{ partner, currency } = { partner: 0, currency: '' }] = entries;
      const amountMinor = entries.reduce((sum, entry) => sum + entry.amountMinor, 0);
      if (!isWorthPaying(amountMinor, this.#history.minimumPayout[currency])) continue;
      const payout: ModelPayout = { partner, currency, status: 'processing', amountMinor, entries };
      this.payouts.push(payout);
      for (const entry of entries) entry.payout = payout;
    }
  }

  #end(index: number, end: PayoutStatus): boolean {
    const payout = this.underWay()[index];
    if (payout === undefined || (payout.status === 'held' && end !== 'paid' && end !== 'failed')) return false;
    payout.status = end;
    if (end !== 'paid' && end !== 'held') for (const entry of payout.entries) entry.payout = null;
    return true;
  }

  #standingOf(entry: ModelEntry): { payoutStatus: PayoutStatus | null; isDue: boolean } {
    const isDecided = entry.sale === null || this.sales.get(entry.sale)?.review !== 'flagged';
    return { payoutStatus: entry.payout?.status ?? null, isDue: isDecided && entry.availableAt <= this.now };
  }

  #reportedOf(sale: number): Reported {
    const known = this.#reported.get(sale) ?? new Reported();
    this.#reported.set(sale, known);
    return known;
  }
}
