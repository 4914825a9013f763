import type { SaleId } from './ids.ts';

/** The outcomes of a delivery, strongest first. A delivery gets the strongest outcome of its facts. */
export const OUTCOMES = [
  'failed',
  'sale',
  'reversal',
  'unattributed',
  'duplicate',
  'noted',
  'ignored',
  'unknown',
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** The outcome of one fact, or of a whole delivery. */
export interface FactOutcome {
  outcome: Outcome;
  /** For the operator; null when the outcome says it all. */
  reason: string | null;
  saleId: SaleId | null;
}

/** The strongest outcome; `noted` when there is none, which means that all facts of the delivery were already known. */
export function strongestOutcome(outcomes: readonly Outcome[]): Outcome {
  return OUTCOMES.find((outcome) => outcomes.includes(outcome)) ?? 'noted';
}
