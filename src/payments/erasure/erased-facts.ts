import { type Mark, markOf, markOfProcessorId } from '../../app/person-marks.ts';
import type { CustomerHints, Fact } from '../../core/facts.ts';
import { identityKeysOf } from '../../core/identity.ts';
import type { AccountId } from '../../core/ids.ts';
import { addMark, findMarked, hasMarks } from '../../inbox/marks.ts';
import type { Transaction } from '../../storage/database.ts';
import { isCustomersAddress, isLivingCustomer } from '../queries/customers.ts';
import { eraseIdentityName } from '../queries/erasure.ts';
import type { ProcessorScope } from '../scope.ts';
import { withoutName } from './erase.ts';

/**
 * Removes what identifies erased persons from facts: the address and the name where they are named by external id or by
 * an erased address, and the name where only a processor's id is known to be theirs. Ids stay, because they attribute
 * the payment. Nothing is removed from facts about somebody who is a customer now, such as after another sign-up with
 * the same address.
 */
export async function withoutErased<Reported extends Fact>(
  tx: Transaction,
  scope: ProcessorScope,
  facts: readonly Reported[],
): Promise<readonly Reported[]> {
  // most accounts never erase anybody, and hashing what the facts name takes longer than asking
  if (!(await hasMarks(tx, scope.accountId))) return facts;
  const marked = await findMarked(tx, scope.accountId, marksOf(scope, facts));
  if (marked.size === 0) return facts;
  const kept: Reported[] = [];
  for (const fact of facts) {
    const hints = hintsOf(fact);
    kept.push(hints === undefined ? fact : { ...fact, customer: await hintsToKeep(tx, scope, hints, marked) });
  }
  return kept;
}

/** Prefetches the first lookup of `withoutErased`. */
export async function lookAheadToErased(tx: Transaction, accountId: AccountId): Promise<void> {
  await hasMarks(tx, accountId);
}

async function hintsToKeep(
  tx: Transaction,
  scope: ProcessorScope,
  hints: CustomerHints,
  marked: Set<Mark>,
): Promise<CustomerHints> {
  const { accountId, now } = scope;
  const { email, externalIds } = hints;
  const ids = processorIdsOf(scope, hints);
  const isNamed = externalIds.some(({ value }) => marked.has(markOf(accountId, 'external', value)));
  const isAddressed = email !== null && marked.has(markOf(accountId, 'email', email));
  // a processor's customer may pay for several people, so its id says less than a name or an address
  const isTheirs = externalIds.length === 0 && ids.some(({ mark }) => marked.has(mark));
  if (!isNamed) {
    if (!isAddressed && !isTheirs) return hints;
    if (await isCustomerAgain(tx, accountId, hints)) return hints;
    if (!isAddressed) return { ...hints, name: null };
  }
  for (const { mark, id } of ids.filter((one) => !marked.has(one.mark))) {
    // a later report may name them by this id only, as an earlier one may have done
    await addMark(tx, accountId, mark, now);
    await eraseIdentityName(tx, accountId, id);
    marked.add(mark);
  }
  return withoutName(hints);
}

/** True when somebody who was not erased is a customer under the address or one of the external ids. */
async function isCustomerAgain(
  tx: Transaction,
  accountId: AccountId,
  { email, externalIds }: CustomerHints,
): Promise<boolean> {
  if (email !== null && (await isCustomersAddress(tx, accountId, email))) return true;
  for (const { value } of externalIds) if (await isLivingCustomer(tx, accountId, value)) return true;
  return false;
}

/** Everything by which the facts may name an erased person. */
function marksOf(scope: ProcessorScope, facts: readonly Fact[]): Mark[] {
  const { accountId } = scope;
  const marks = facts.flatMap((fact) => {
    const hints = hintsOf(fact);
    if (hints === undefined) return [];
    return [
      ...hints.externalIds.map(({ value }) => markOf(accountId, 'external', value)),
      ...(hints.email === null ? [] : [markOf(accountId, 'email', hints.email)]),
      ...processorIdsOf(scope, hints).map(({ mark }) => mark),
    ];
  });
  return [...new Set(marks)];
}

function processorIdsOf({ accountId, processor }: ProcessorScope, hints: CustomerHints) {
  return identityKeysOf(hints).map((key) => {
    const id = { processor, ...key };
    return { id, mark: markOfProcessorId(accountId, id) };
  });
}

/** Undefined for a report that requires an erasure, which has to say who is to be erased. */
function hintsOf(fact: Fact): CustomerHints | undefined {
  return 'customer' in fact && fact.kind !== 'customer.erased' ? fact.customer : undefined;
}
