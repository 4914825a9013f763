import type { Interpretation } from '../core/facts.ts';
import { applyAndExplain, type ExplainedEffect } from '../payments/explain.ts';
import type { DeliveryScope } from '../payments/scope.ts';
import { isTooEarly, withoutPayments } from '../payments/too-early.ts';
import type { Transaction } from '../storage/database.ts';

/** Ends the unit of work of a payment that `isTooEarly`. */
export class TooEarly extends Error {}

/**
 * Applies what was read back from a processor's API, inside the caller's unit of work.
 *
 * @throws TooEarly for a payment that does not count: the caller applies `withoutTooEarly` in another unit
 */
export async function applyReadBack(
  tx: Transaction,
  scope: DeliveryScope,
  interpretation: Interpretation,
): Promise<ExplainedEffect> {
  const explained = await applyAndExplain(tx, scope, interpretation);
  if (await isTooEarly(tx, scope, interpretation, explained)) throw new TooEarly();
  return explained;
}

const WHY = 'its customer was not known before it would have stopped waiting, had it been delivered when it was made';

/** What is left of an interpretation that came too early: who paid is worth knowing, because of the payments that follow. */
export function withoutTooEarly(interpretation: Interpretation): Interpretation {
  const facts = interpretation.kind === 'facts' ? withoutPayments(interpretation.facts) : [];
  if (facts.length === 0) return { kind: 'ignored', reason: WHY };
  return { kind: 'facts', facts: [...facts, { kind: 'noted', what: WHY }] };
}
