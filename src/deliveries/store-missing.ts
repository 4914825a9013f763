import { isDeepStrictEqual } from 'node:util';
import type { DeliveryResult } from '../core/delivery.ts';
import type { Fact, Interpretation } from '../core/facts.ts';
import type { DeliveryId } from '../core/ids.ts';
import type { Outcome } from '../core/outcome.ts';
import { storeOnce } from '../inbox/store-once.ts';
import { applyInterpretation, claimsOfInterpretation, lookAheadOf } from '../payments/apply-facts.ts';
import { type ExplainedEffect, NO_SALE } from '../payments/explain.ts';
import { whatIsKnown } from '../payments/what-is-known.ts';
import { countChangedRows } from '../storage/changed-rows.ts';
import type { Database, Transaction } from '../storage/database.ts';
import type { BackfilledJob } from './job.ts';
import { applyReadBack, TooEarly, withoutTooEarly } from './read-back.ts';
import { failedResult, resultOf, scopeOf } from './store.ts';

/** A delivery that did not arrive when it was sent. */
export interface MissingDelivery extends Omit<ExplainedEffect, 'attribution'> {
  /** Null in a dry run, which stores nothing. */
  deliveryId: DeliveryId | null;
  /** What was applied. */
  facts: readonly Fact[];
}

/** `known`: it was delivered, or would change nothing. `ignored`: it does not count, such as a test or what came too early. */
export type StoredIfMissing = { kind: 'known' } | { kind: 'ignored' } | { kind: 'missing'; missing: MissingDelivery };

export interface MissingOptions {
  isDryRun: boolean;
  /** Facts that were found missing before and are not stored: they are applied first. Not called unless in a dry run. */
  findEarlier(tx: Transaction, facts: readonly Fact[]): Promise<readonly Fact[]>;
  /** Stores what was missing, in the same unit of work. Not called in a dry run. */
  note(tx: Transaction, missing: MissingDelivery): Promise<void>;
}

/** Ends the unit of work so that it stores nothing. */
class NotStored extends Error {
  readonly result: StoredIfMissing;

  constructor(result: StoredIfMissing) {
    super('Nothing of this delivery is stored');
    this.result = result;
  }
}

/**
 * Stores a delivery that was read from the processor's API and applies it, in one unit of work, unless that would change
 * nothing: then the processor has reported the same before, by this delivery or by another. An error of ours stores the
 * delivery as `failed`, as if it had arrived.
 *
 * @throws ServiceError `UNAVAILABLE`
 */
export async function storeIfMissing(
  database: Database,
  job: BackfilledJob,
  options: MissingOptions,
): Promise<StoredIfMissing> {
  const { interpretation } = job.interpreted;
  if (interpretation?.kind === 'ignored') return { kind: 'ignored' };
  try {
    return await storeUnlessKnown(database, job, options, (tx) => applyMissing(tx, job, options));
  } catch (error) {
    if (error instanceof NotStored) return error.result;
    if (!(error instanceof TooEarly) || interpretation === null) return storeFailed(database, job, options, error);
    const interpreted = { interpretation: withoutTooEarly(interpretation), failure: null };
    const stored = await storeIfMissing(database, { ...job, interpreted }, options);
    return stored.kind === 'known' ? { kind: 'ignored' } : stored;
  }
}

interface Applied {
  effect: Omit<MissingDelivery, 'deliveryId' | 'facts'>;
  result: DeliveryResult;
}

const NEWS: ReadonlySet<Outcome> = new Set(['sale', 'reversal', 'unattributed', 'failed', 'unknown']);

const PAYMENT_TABLES = new Set(['payment_references', 'refunds', 'disputes', 'sales', 'ledger_entries']);

/**
 * A record of the API is applied although a webhook may have told the same, which writes customers and reports of payments
 * anew. Therefore those are compared, by `whatIsKnown`, and only other changes are counted.
 */
function changesPayments(table: string, sql: string): boolean {
  return PAYMENT_TABLES.has(table) || (table === 'payments' && !sql.trimStart().startsWith('UPDATE'));
}

/** @throws NotStored when nothing changes; Error with the adapter's failure, if there is one */
async function applyMissing(
  tx: Transaction,
  { received, interpreted, parkedDays, isRecord }: BackfilledJob,
  { isDryRun, findEarlier }: MissingOptions,
): Promise<Applied> {
  const { interpretation, failure } = interpreted;
  if (failure !== null) throw new Error(failure);
  const scope = scopeOf(received, parkedDays, received.receivedAt);
  if (isDryRun) {
    const earlier = await findEarlier(tx, factsIn(interpretation));
    await applyInterpretation(tx, scope, { kind: 'facts', facts: [...earlier] });
  }
  const counted = countChangedRows(tx, isRecord ? changesPayments : () => true);
  const before = isRecord ? await whatIsKnown(tx, scope, interpretation) : null;
  const explained = await applyReadBack(counted.tx, scope, interpretation);
  const isNews =
    NEWS.has(explained.outcome) ||
    counted.count() > 0 ||
    (isRecord && !isDeepStrictEqual(await whatIsKnown(tx, scope, interpretation), before));
  if (!isNews) throw new NotStored({ kind: 'known' });
  const { attribution: _, ...effect } = explained;
  return { effect, result: resultOf(effect, scope.now, 1) };
}

async function storeFailed(
  database: Database,
  job: BackfilledJob,
  options: MissingOptions,
  error: unknown,
): Promise<StoredIfMissing> {
  const result = failedResult(error, job.received.receivedAt, 1);
  const { outcome, reason, saleId } = result;
  const effect = {
    outcome,
    reason,
    saleId,
    ...NO_SALE,
    commissionAmount: null,
    currency: null,
  };
  try {
    return await storeUnlessKnown(database, job, options, async () => ({ effect, result }));
  } catch (thrown) {
    if (thrown instanceof NotStored) return thrown.result;
    throw thrown;
  }
}

/** @throws NotStored when nothing is to be stored; whatever `apply` throws */
async function storeUnlessKnown(
  database: Database,
  { received, interpreted, parkedDays }: BackfilledJob,
  { isDryRun, note }: MissingOptions,
  apply: (tx: Transaction) => Promise<Applied>,
): Promise<StoredIfMissing> {
  const scope = scopeOf(received, parkedDays, received.receivedAt);
  const { interpretation } = interpreted;
  const facts = factsIn(interpretation);
  let stored: StoredIfMissing = { kind: 'known' };
  const answer = await storeOnce(database, {
    received,
    claims: () => (interpretation === null ? [] : claimsOfInterpretation(scope, interpretation)),
    lookAhead: async (tx) => interpretation && lookAheadOf(tx, scope, interpretation),
    // throws after writing, which rolls back everything in the same transaction
    alone: true,
    async apply(tx) {
      const { effect, result } = await apply(tx);
      if (isDryRun) {
        throw new NotStored({ kind: 'missing', missing: { ...effect, deliveryId: null, facts } });
      }
      const missing = { ...effect, deliveryId: received.id, facts };
      await note(tx, missing);
      stored = { kind: 'missing', missing };
      return result;
    },
  });
  return answer.outcome === 'duplicate' && answer.deliveryId === null ? { kind: 'known' } : stored;
}

function factsIn(interpretation: Interpretation | null): readonly Fact[] {
  return interpretation?.kind === 'facts' ? interpretation.facts : [];
}
