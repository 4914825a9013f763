import type { ReportedDispute, ReportedRefund } from '../../src/core/reversal.ts';
import type { Step } from './histories.ts';

type Report = Extract<Step, { do: 'refund' | 'failed refund' | 'cumulative refund' | 'dispute' }>;

/** The reports of one payment so far: those of the same refund or dispute are merged, in any order. */
export class Reported {
  readonly refunds = new Map<string, ReportedRefund>();
  readonly disputes = new Map<number, ReportedDispute & { occurredAt: number }>();

  add(report: Report, now: number): void {
    if (report.do === 'dispute') this.#addDispute(report, now);
    else this.#addRefund(report);
  }

  /** A failed refund stays failed; a missing amount is filled in. */
  #addRefund(report: Exclude<Report, { do: 'dispute' }>): void {
    const isCumulative = report.do === 'cumulative refund';
    const key = isCumulative ? `cumulative ${report.amountMinor}` : `refund ${report.refund}`;
    const known = this.refunds.get(key);
    this.refunds.set(key, {
      kind: isCumulative ? 'cumulative' : 'refund',
      amountMinor: known?.amountMinor ?? report.amountMinor,
      failed: report.do === 'failed refund' || (known?.failed ?? false),
    });
  }

  /** A decided dispute never reopens; of two verdicts the later wins, at the same time `won`. */
  #addDispute({ dispute, amountMinor, state }: Extract<Report, { do: 'dispute' }>, now: number): void {
    const known = this.disputes.get(dispute);
    const isVerdict = state !== 'open';
    const isLater = known !== undefined && known.occurredAt < now;
    const isWonAfterAll = known?.occurredAt === now && known.state === 'lost' && state === 'won';
    if (known === undefined || (isVerdict && (known.state === 'open' || isLater || isWonAfterAll))) {
      this.disputes.set(dispute, { amountMinor, state, occurredAt: now });
    }
  }
}
