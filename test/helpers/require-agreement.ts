import type { Service } from '../../src/app/service.ts';
import { checkLedger } from '../../src/audit/ledger.ts';
import { checkResults } from '../../src/audit/results.ts';
import type { AccountId } from '../../src/core/ids.ts';

/** Throws what `doctor` would report first: a sale, a payout or a running sum that disagrees with what is stored. */
export async function requireAgreement(service: Pick<Service, 'database'>, accountId: AccountId): Promise<void> {
  for (const check of [checkLedger, checkResults]) {
    for await (const { kind, id, message } of check(service, accountId)) throw new Error(`${kind} ${id}: ${message}`);
  }
}
