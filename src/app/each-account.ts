import type { AccountId } from '../core/ids.ts';
import type { Service } from './service.ts';

/**
 * Does background work for one account after the other. A failure is logged, and does not keep the other accounts from
 * theirs; the first failure is thrown at the end. Stops early when the service stops.
 */
export async function forEachAccount(
  { log, lifecycle }: Service,
  accountIds: readonly AccountId[],
  work: (accountId: AccountId) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const accountId of accountIds) {
    if (lifecycle.draining) break;
    try {
      await work(accountId);
    } catch (error) {
      log.warn({ accountId, err: error }, 'background work failed for an account');
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
