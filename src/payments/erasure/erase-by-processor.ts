import { markOf, markOfProcessorId } from '../../app/person-marks.ts';
import type { CustomerErased } from '../../core/facts.ts';
import { identityKeysOf } from '../../core/identity.ts';
import type { FactOutcome } from '../../core/outcome.ts';
import { eraseBodiesOf } from '../../inbox/erase-bodies.ts';
import { addMark } from '../../inbox/marks.ts';
import type { Transaction } from '../../storage/database.ts';
import { findCustomerById } from '../queries/customers.ts';
import { eraseIdentity, findCustomersOfPayments } from '../queries/erasure.ts';
import { findProcessorIdentities } from '../queries/identities.ts';
import { claimNamedPayments } from '../queries/references.ts';
import type { DeliveryScope } from '../scope.ts';
import { readClaimed } from './claim-person.ts';
import { erasePerson, readAndErase } from './erase.ts';
import { startImportErasure } from './import-erasures.ts';
import { findNaming } from './parked-of-person.ts';
import { ROWS_PER_UNIT, readPayer, readPerson } from './person-record.ts';

/**
 * Erases the person behind a processor's customer id, and whoever made the payments that the report names, whether a
 * partner has earned them or not.
 */
export async function eraseByProcessor(
  tx: Transaction,
  scope: DeliveryScope,
  { customer: hints, references = [] }: CustomerErased,
): Promise<FactOutcome> {
  const { accountId, processor, now } = scope;
  if (hints.email !== null) await addMark(tx, accountId, markOf(accountId, 'email', hints.email), now);
  const keys = identityKeysOf(hints);
  for (const key of keys) await addMark(tx, accountId, markOfProcessorId(accountId, { processor, ...key }), now);
  const identities = await findProcessorIdentities(tx, scope, keys);
  const customerIds = new Set(identities.map(({ customerId }) => customerId).filter((id) => id !== null));
  const payments = await claimNamedPayments(tx, accountId, { processor, references, invoiceId: null });
  const paymentIds = payments.map(({ id }) => id);
  for (const id of await findCustomersOfPayments(tx, paymentIds)) customerIds.add(id);
  const unassigned = identities.filter(({ customerId }) => customerId === null);
  for (const externalId of new Set(unassigned.map(({ externalId }) => externalId))) {
    if (externalId === null) continue;
    const read = () => readPerson(tx, accountId, externalId);
    await erasePerson(tx, scope, await readClaimed(tx, accountId, read));
  }
  for (const customerId of customerIds) {
    const customer = await findCustomerById(tx, accountId, customerId);
    if (customer !== undefined) await readAndErase(tx, scope, customer);
  }
  const names = keys.map(({ kind, value }) => ({ hint: { kind, value: `${processor}:${value}` }, externalId: '' }));
  const { ids, many } = await findNaming(tx, accountId, names, ROWS_PER_UNIT);
  const payer = await readPayer(tx, accountId, [...paymentIds, ...ids], unassigned);
  await erasePerson(tx, scope, { ...payer, many });
  for (const key of keys) await eraseIdentity(tx, accountId, { processor, ...key });
  // even when nobody is known: a refused import row may still name the person
  await startImportErasure(tx, accountId);
  const count = customerIds.size + unassigned.length + payer.parked.length + many.length;
  return { outcome: 'noted', reason: count === 0 ? 'there is no such customer to erase' : 'erased', saleId: null };
}

/**
 * Deletes every stored body of this endpoint. Customers stay, because the account may also know them from elsewhere.
 */
export async function eraseByEndpoint(
  tx: Transaction,
  { accountId, endpointId, now }: DeliveryScope,
): Promise<FactOutcome> {
  if (endpointId !== null) await addMark(tx, accountId, markOf(accountId, 'endpoint', endpointId), now);
  await eraseBodiesOf(tx, accountId, []);
  const reason =
    'the shop left: the bodies of its deliveries are being deleted; delete the endpoint, and erase customers who were only ' +
    "the shop's with DELETE /api/customers/<your id>/personal-data";
  return { outcome: 'noted', reason, saleId: null };
}
