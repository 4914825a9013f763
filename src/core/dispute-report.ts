import type { DisputeState } from './facts.ts';

/** What is stored of a dispute in one currency. */
export interface StoredDispute {
  processor: string;
  /** See `disputeIdIn`. */
  disputeId: string;
  state: DisputeState;
  occurredAt: number;
}

const CURRENCY = /#[a-z]{3}$/;

/**
 * The id under which a report of a dispute is stored. Reports in another currency than the first one's stay separate, because
 * before the payment is known, nobody knows which of the currencies can be converted.
 *
 * @param stored what is stored under the dispute's own id
 */
export function disputeIdIn(currency: string, disputeId: string, stored: { currency: string } | undefined): string {
  return stored === undefined || stored.currency === currency ? disputeId : `${disputeId}#${currency}`;
}

/** The disputes of a payment, each once and under its own id, with the report that decides it in any order. */
export function distinctDisputes<Dispute extends StoredDispute>(disputes: readonly Dispute[]): Dispute[] {
  const own = disputes.map((dispute) => ({ ...dispute, disputeId: dispute.disputeId.replace(CURRENCY, '') }));
  const byId = Map.groupBy(own, ({ processor, disputeId }) => `${processor} ${disputeId}`);
  return [...byId.values()].map((reports) => reports.reduce((one, other) => (isDecisive(other, one) ? other : one)));
}

/** A verdict decides over `open`, and the later one of two; at the same time, `won` does. */
function isDecisive(report: StoredDispute, other: StoredDispute): boolean {
  if ((report.state === 'open') !== (other.state === 'open')) return other.state === 'open';
  return report.occurredAt > other.occurredAt || (report.occurredAt === other.occurredAt && report.state === 'won');
}
