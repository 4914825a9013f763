import { claimKeys } from '../../app/claims.ts';
import { applyCommission } from './commissions.ts';
import type { MovedFact } from './facts.ts';
import { applyPartnerRow } from './partner-rows.ts';
import { applyPayout } from './payouts.ts';
import { applyCode, applyCustomer, applyLink, applyPartner } from './people.ts';
import { applyProgram } from './programs.ts';
import { storable } from './storable.ts';
import type { Applied, MovedTarget } from './target.ts';

/**
 * Stores one fact in the target's unit of work. Throws a ServiceError whose message says why it is refused. Units of
 * one account wait for each other: otherwise two simultaneous imports, such as one by the server and one by the
 * command, would both find the fact missing and count its money twice.
 */
export async function applyFact(target: MovedTarget, given: MovedFact): Promise<Applied> {
  const fact = storable(given);
  await target.tx.claim(() => [claimKeys.importedRecords(target.accountId)]);
  switch (fact.kind) {
    case 'program':
      return applyProgram(target, fact);
    case 'partner':
      return target.partnersBy === 'address' ? applyPartnerRow(target, fact) : applyPartner(target, fact);
    case 'link':
      return applyLink(target, fact);
    case 'code':
      return applyCode(target, fact);
    case 'customer':
      return applyCustomer(target, fact);
    case 'commission':
      return applyCommission(target, fact);
    case 'payout':
      return applyPayout(target, fact);
  }
}
