import { areLeft, byTime, type LinesLeft, linesLeftOf, withoutUnpaidLines } from './refund-lines.ts';
import { type ReportedRefund, type Reversible, refundedOf, type Taken, takenBy } from './reversal.ts';

const NOTHING: Taken = { grossUnits: 0n, base: 0n };

/** What the refunds of a sale take together, to which a later one can be added without a look at all others. */
export class RunningRefunds {
  readonly #sale: Reversible;
  readonly #left: LinesLeft;
  /** False when a further refund may change what the others take, or takes less because of them. */
  readonly #isSum: boolean;
  #latest: ReportedRefund | null;
  #taken = NOTHING;

  constructor(sale: Reversible, refunds: readonly ReportedRefund[]) {
    this.#sale = sale;
    this.#left = linesLeftOf(sale.paidLines);
    this.#isSum = !sale.refundedElsewhereMinor && refunds.every(({ kind }) => kind === 'refund');
    const succeeded = refunds.filter(({ failed }) => !failed).sort(byTime);
    this.#latest = succeeded.at(-1) ?? null;
    if (this.#isSum) this.#count(succeeded);
    else this.#taken = refundedOf(sale, refunds);
  }

  get taken(): Taken {
    return this.#taken;
  }

  /** Adds a further refund. Returns false, and adds nothing, if what all of them take must be computed anew. */
  add(refund: ReportedRefund): boolean {
    if (!this.#isSum || refund.kind !== 'refund') return false;
    if (refund.failed) return true;
    const isLatest = this.#latest === null || byTime(this.#latest, refund) < 0;
    // otherwise it takes units of lines from later refunds
    if (!isLatest && !areLeft(refund, this.#left)) return false;
    this.#count([refund]);
    if (isLatest) this.#latest = refund;
    return true;
  }

  #count(refunds: readonly ReportedRefund[]): void {
    const { grossUnits, base } = takenBy(this.#sale, withoutUnpaidLines(refunds, this.#left));
    this.#taken = { grossUnits: this.#taken.grossUnits + grossUnits, base: this.#taken.base + base };
  }
}
