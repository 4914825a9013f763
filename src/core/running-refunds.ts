import { PaidUnits } from './paid-units.ts';
import { byTime, withoutUnpaidUnits } from './refund-lines.ts';
import { type ReportedRefund, type Reversible, refundedOf, type Taken, takenBy } from './reversal.ts';

const NOTHING: Taken = { grossUnits: 0n, base: 0n };

/** What the refunds of a sale take together, to which a later one can be added without a look at all others. */
export class RunningRefunds {
  readonly #sale: Reversible;
  /** Null when the lines that were paid for are unknown. */
  readonly #units: PaidUnits<ReportedRefund> | null;
  /** False when a further refund may change what the others take, other than by the units of their lines. */
  readonly #isSum: boolean;
  /** What the refunds with lines take. */
  readonly #takenBy = new Map<ReportedRefund, Taken>();
  #taken = NOTHING;

  constructor(sale: Reversible, refunds: readonly ReportedRefund[]) {
    this.#sale = sale;
    this.#units = sale.paidLines && new PaidUnits<ReportedRefund>(sale.paidLines, byTime);
    this.#isSum = !sale.refundedElsewhereMinor && refunds.every(({ kind }) => kind === 'refund');
    if (!this.#isSum) this.#taken = refundedOf(sale, refunds);
    // in order, so that none of them takes units from another
    else for (const refund of refunds.toSorted(byTime)) this.add(refund);
  }

  get taken(): Taken {
    return this.#taken;
  }

  /** Adds a further refund. Returns false, and adds nothing, if what all of them take must be computed anew. */
  add(refund: ReportedRefund): boolean {
    if (!this.#isSum || refund.kind !== 'refund') return false;
    if (refund.failed) return true;
    const isLined = refund.commissionableMinor !== null && refund.amountMinor !== null && refund.lines.length > 0;
    if (!isLined || this.#units === null) this.#change(NOTHING, takenBy(this.#sale, [refund]));
    else for (const changed of this.#units.take(refund)) this.#count(changed, this.#units);
    return true;
  }

  #count(refund: ReportedRefund, units: PaidUnits<ReportedRefund>): void {
    const taken = takenBy(this.#sale, [withoutUnpaidUnits(refund, units.of(refund))]);
    this.#change(this.#takenBy.get(refund) ?? NOTHING, taken);
    this.#takenBy.set(refund, taken);
  }

  #change(before: Taken, after: Taken): void {
    const { grossUnits, base } = this.#taken;
    this.#taken = {
      grossUnits: grossUnits + after.grossUnits - before.grossUnits,
      base: base + after.base - before.base,
    };
  }
}
