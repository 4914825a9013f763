import { multiplyRatio } from '../../src/core/money.ts';
import type { RefundState } from '../../src/core/refund-report.ts';
import type { RefundedLine } from '../../src/core/refunded.ts';
import type { ReportedDispute, ReportedRefund } from '../../src/core/reversal.ts';
import type { Step } from './histories.ts';

/** The processor's timestamp of a report that is delivered now. */
export function reportedAt({ late }: { late: number }, now: number): number {
  return now - late * 3_600_000;
}

/** The lines of a refund; a payment's lines have the numbers 0 and 1, a line added later has 2. */
export function linesOf({ lines, amountMinor }: Extract<Step, { do: 'refund' }>): RefundedLine[] {
  return lines.map(({ line, quantity, tenths }) => {
    const amount = multiplyRatio(amountMinor, tenths, 10);
    return { lineId: `line_${line}`, quantity, amountMinor: amount, commissionableMinor: amount };
  });
}

/** The lines of a payment: one unit of the first, two of the second. */
export const PAID_LINES = { line_0: 1, line_1: 2 } as const;

type Report = Extract<Step, { do: 'refund' | 'failed refund' | 'cumulative refund' | 'dispute' }>;

type Amounts = Pick<RefundState, 'amount' | 'commissionable' | 'lines'>;

function amountsOf(report: Exclude<Report, { do: 'dispute' }>): Amounts {
  const { amountMinor: amount } = report;
  return report.do === 'refund'
    ? { amount, commissionable: report.commissionableMinor, lines: linesOf(report) }
    : { amount, commissionable: null, lines: [] };
}

/** Reports of the same amount, or of none, add to each other. */
function greaterOf(known: Amounts | undefined, said: Amounts): Amounts {
  if (known === undefined) return said;
  const [most, other] = (said.amount ?? 0) > (known.amount ?? 0) ? [said, known] : [known, said];
  const { amount, commissionable, lines } = most;
  if (amount !== null && other.amount !== null && amount !== other.amount) return { amount, commissionable, lines };
  return {
    amount: amount ?? other.amount,
    commissionable: commissionable ?? other.commissionable,
    lines: lines?.length ? lines : other.lines,
  };
}

/** The reports of one payment so far; reports of the same refund or dispute are merged, in any order. */
export class Reported {
  readonly #refunds = new Map<string, RefundState & { kind: ReportedRefund['kind'] }>();
  readonly disputes = new Map<number, ReportedDispute & { occurredAt: number }>();

  add(report: Report, now: number): void {
    if (report.do === 'dispute') this.#addDispute(report, now);
    else this.#addRefund(report, reportedAt(report, now));
  }

  get refunds(): ReportedRefund[] {
    return [...this.#refunds].map(([refundKey, { kind, amount, commissionable, lines, refundedAt, failedAt }]) => {
      const failed = failedAt !== null && (refundedAt === null || failedAt > refundedAt);
      const at = failed ? failedAt : refundedAt;
      const amounts = {
        chargeId: null,
        releasedMinor: null,
        amountMinor: amount,
        commissionableMinor: commissionable,
        lines: lines ?? [],
        isPresented: false,
      };
      return { refundKey, kind, ...amounts, failed, reportedAt: at ?? 0 };
    });
  }

  /** The greatest amount counts, with what its reports say of the goods; for each kind of report, the latest time counts. */
  #addRefund(report: Exclude<Report, { do: 'dispute' }>, at: number): void {
    const isCumulative = report.do === 'cumulative refund';
    const key = isCumulative ? `cumulative ${report.amountMinor}` : `refund ${report.refund}`;
    const known = this.#refunds.get(key);
    const latest = (time: number | null | undefined, isNow: boolean) =>
      isNow ? Math.max(time ?? 0, at) : (time ?? null);
    this.#refunds.set(key, {
      kind: isCumulative ? 'cumulative' : 'refund',
      ...greaterOf(known, amountsOf(report)),
      isByShare: false,
      refundedAt: latest(known?.refundedAt, report.do !== 'failed refund'),
      failedAt: latest(known?.failedAt, report.do === 'failed refund'),
    });
  }

  /** A decided dispute never reopens; of two decisions the later one wins, and at the same time `won`. */
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
