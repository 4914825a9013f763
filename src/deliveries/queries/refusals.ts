import type { AccountId, EndpointId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import type { RefusalCause } from '../refusal-cause.ts';

/** Why deliveries to an endpoint were refused: one row per kind of reason. */
export interface RefusalRow {
  /** A digest of the reason without its figures. */
  kind: string;
  cause: RefusalCause;
  /** The reason, event type and header names of the latest refusal. */
  reason: string;
  eventType: string | null;
  /** JSON list of lower-case names. */
  headerNames: string;
  count: number;
  firstRefusedAt: number;
  lastRefusedAt: number;
}

export interface NewRefusal extends Omit<RefusalRow, 'count' | 'firstRefusedAt' | 'lastRefusedAt'> {
  accountId: AccountId;
  endpointId: EndpointId;
  refusedAt: number;
}

/** Counts a refusal in the row of its kind, which is added if missing. */
export async function countRefusal(tx: Transaction, refusal: NewRefusal): Promise<void> {
  await tx.run(
    `INSERT INTO webhook_refusals (account_id, endpoint_id, kind, cause, reason, event_type, header_names, refusal_count,
       first_refused_at, last_refused_at)
     VALUES (@accountId, @endpointId, @kind, @cause, @reason, @eventType, @headerNames, 1, @refusedAt, @refusedAt)
     ON CONFLICT (account_id, endpoint_id, kind) DO UPDATE SET cause = excluded.cause, reason = excluded.reason,
       event_type = excluded.event_type, header_names = excluded.header_names,
       refusal_count = webhook_refusals.refusal_count + 1, last_refused_at = excluded.last_refused_at`,
    { ...refusal },
  );
}

/** All refusals of an endpoint, in no particular order. `refusals.ts` limits their number. */
export function findRefusals(tx: Transaction, accountId: AccountId, endpointId: string) {
  return tx.all<RefusalRow>(
    `SELECT kind, cause, reason, event_type AS "eventType", header_names AS "headerNames", refusal_count AS count,
       first_refused_at AS "firstRefusedAt", last_refused_at AS "lastRefusedAt"
     FROM webhook_refusals WHERE account_id = @accountId AND endpoint_id = @endpointId`,
    { accountId, endpointId },
  );
}

export async function deleteRefusal(
  tx: Transaction,
  accountId: AccountId,
  endpointId: string,
  kind: string,
): Promise<void> {
  await tx.run(
    'DELETE FROM webhook_refusals WHERE account_id = @accountId AND endpoint_id = @endpointId AND kind = @kind',
    { accountId, endpointId, kind },
  );
}

export async function deleteRefusals(tx: Transaction, accountId: AccountId, endpointId: string): Promise<void> {
  await tx.run('DELETE FROM webhook_refusals WHERE account_id = @accountId AND endpoint_id = @endpointId', {
    accountId,
    endpointId,
  });
}
