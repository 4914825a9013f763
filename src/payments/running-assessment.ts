import { isDeepStrictEqual } from 'node:util';
import { distinctRefunds, idsInParts } from '../core/refund-report.ts';
import { type ReportedDispute, type Reversible, reversalBy } from '../core/reversal.ts';
import { RunningRefunds } from '../core/running-refunds.ts';
import {
  type AssessedReversal,
  countedDisputesOf,
  countedRefundsOf,
  isDisputed,
  reversibleOf,
} from './assess-reversal.ts';
import type { Refund } from './queries/refunds.ts';
import type { ReversibleSale } from './queries/reversible-sales.ts';
import type { DisputeAmount } from './reported-amounts.ts';

/**
 * Assesses a sale after each of several reports of its refunds, with the result of `assessReports`. A refund that has
 * nothing to do with the others is added to their sum, so that a thousand of them take a thousand steps; any other report
 * has all of them looked at.
 */
export class RunningAssessment {
  readonly #sale: ReversibleSale;
  readonly #reversible: Reversible;
  readonly #disputes: readonly ReportedDispute[];
  readonly #refunds = new Map<string, Refund>();
  /** The ids of the refunds, and of those that were reported in parts. */
  readonly #ids = new Set<string>();
  /** True with refunds that earlier versions booked: see `reportedRefundsOf`. */
  #isRounded = false;
  /** Null when it must be computed anew. */
  #running: RunningRefunds | null = null;
  #lookedAt = 0;

  /**
   * @param refunds as reported
   * @throws CurrencyMismatch
   */
  constructor(sale: ReversibleSale, refunds: readonly Refund[], disputes: readonly DisputeAmount[]) {
    this.#sale = sale;
    this.#reversible = reversibleOf(sale);
    this.#disputes = countedDisputesOf(sale, disputes);
    for (const refund of refunds) this.#keep(refund);
  }

  /** How many refunds were looked at so far, each as often as it was: a measure of the time that this has taken. */
  get lookedAt(): number {
    return this.#lookedAt;
  }

  /**
   * Adds a refund, or replaces what was known of it.
   *
   * @throws CurrencyMismatch
   */
  put(refund: Refund): void {
    if (isDeepStrictEqual(this.#refunds.get(keyOf(refund)), refund)) return;
    if (!this.#isApart(refund) || !this.#add(refund)) this.#running = null;
    this.#keep(refund);
  }

  /**
   * The assessment with a refund that is added, or replaces what was known of it.
   *
   * @throws CurrencyMismatch and leaves the refund out
   */
  assessWith(refund: Refund): AssessedReversal {
    const before = this.#refunds.get(keyOf(refund));
    try {
      this.put(refund);
      return this.assess();
    } catch (error) {
      // its ids stay, because of which others may be looked at together
      if (before === undefined) this.#refunds.delete(keyOf(refund));
      else this.#refunds.set(keyOf(refund), before);
      throw error;
    }
  }

  /** @throws CurrencyMismatch */
  assess(): AssessedReversal {
    this.#running ??= this.#startOver();
    return {
      reversal: reversalBy(this.#reversible, this.#running.taken, this.#disputes),
      disputedOpen: isDisputed(this.#disputes),
    };
  }

  #keep(refund: Refund): void {
    this.#refunds.set(keyOf(refund), refund);
    for (const id of idsOf(refund)) this.#ids.add(id);
    this.#isRounded ||= refund.lines === null;
  }

  #startOver(): RunningRefunds {
    this.#lookedAt += this.#refunds.size;
    const refunds = distinctRefunds([...this.#refunds.values()]);
    return new RunningRefunds(this.#reversible, countedRefundsOf(this.#sale, refunds));
  }

  /** True when no other report is of the same refund, or of a part of it, and none is rounded because of their sum. */
  #isApart(refund: Refund): boolean {
    return !this.#isRounded && refund.lines !== null && idsOf(refund).every((id) => !this.#ids.has(id));
  }

  #add(refund: Refund): boolean {
    return countedRefundsOf(this.#sale, [refund]).every((counted) => this.#running?.add(counted) ?? false);
  }
}

function keyOf({ processor, refundKey }: Refund): string {
  return `${processor} ${refundKey}`;
}

function idsOf(refund: Refund): string[] {
  return [refund.refundKey, ...idsInParts([refund])];
}
