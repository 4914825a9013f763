import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import { RawReply } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, DeliveryId } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import { ServiceError } from '../errors.ts';
import { eraseFromImports } from '../exchange/jobs/imports.ts';
import { findBody } from '../inbox/erase-bodies.ts';
import { visitsOf } from '../links/erase.ts';
import { claimPerson } from '../payments/erasure/claim-person.ts';
import { erasePerson } from '../payments/erasure/erase.ts';
import { eraseRest } from '../payments/erasure/erase-rest.ts';
import { ALL_ROWS, type PersonRecord, readNamed } from '../payments/erasure/person-record.ts';
import { sourcesOf } from '../payments/erasure/person-sources.ts';
import { findReported, requireNamed } from '../payments/erasure/require-named.ts';
import { PARKED } from '../payments/erasure/rest-places.ts';
import type { Transaction } from '../storage/database.ts';
import { itemsOf, jsonInParts, type ListsOf } from './json-in-parts.ts';
import type { CustomerData } from './schemas.ts';

/**
 * Everything that is stored about a customer, or about a person whom only parked payments name, as streamed JSON: the bodies
 * of a customer's deliveries may be hundreds of megabytes.
 *
 * @param named see `readNamed`
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` for the address of customers
 */
export async function discloseCustomer(service: Service, accountId: AccountId, named: string): Promise<RawReply> {
  const { person, visits, reported, deliveryIds } = await service.database.report(async (tx) => {
    const person = await requireNamed(tx, accountId, named, ALL_ROWS);
    const { clickIds, deliveryIds } = await sourcesOf(tx, accountId, person);
    const visits = await visitsOf(tx, accountId, clickIds);
    return { person, visits, reported: await findReported(tx, accountId, person), deliveryIds };
  });
  const { externalId, customer } = person;
  const lists: ListsOf<CustomerData> = {
    ...listsOf(person),
    processorIds: itemsOf(reported, ({ processor, kind, value, email, name }) => ({
      processor,
      kind,
      value,
      email,
      name,
    })),
    clicks: itemsOf(visits, ({ id, referrerHost, device, country, createdAt }) => {
      return { id, referrerHost, device, country, createdAt: isoTime(createdAt) };
    }),
    deliveries: deliveriesOf(service, accountId, deliveryIds),
  };
  const content = jsonInParts({ externalId, customer: customer && asProfile(customer) }, lists);
  return new RawReply(200, { 'Content-Type': 'application/json; charset=utf-8' }, content);
}

type Delivery = CustomerData['deliveries'][number];

/** One after the other, so that neither this thread nor its memory holds more than one body. */
async function* deliveriesOf(
  { database }: Service,
  accountId: AccountId,
  ids: readonly DeliveryId[],
): AsyncGenerator<Delivery> {
  for (const id of ids) {
    const found = await database.report((tx) => findBody(tx, accountId, id));
    if (found === undefined) continue;
    const { eventType, receivedAt, body } = found;
    yield { id, eventType, receivedAt: isoTime(receivedAt), body: Buffer.from(body).toString('utf8') };
  }
}

function asProfile({ id, email, name, avatar, createdAt }: NonNullable<PersonRecord['customer']>) {
  return { id, email, name, avatar, createdAt: isoTime(createdAt) };
}

function listsOf({ leads, sales, parked }: PersonRecord) {
  return {
    leads: itemsOf(leads, ({ eventName, clickId, metadata, createdAt }) => {
      return { eventName, clickId, metadata: metadataIn(metadata), createdAt: isoTime(createdAt) };
    }),
    sales: itemsOf(sales, ({ id, clickId, metadata, steps }) => {
      const emails = steps.flatMap(({ step, value }) => (step === 'email' && value !== null ? [value] : []));
      return { id, clickId, metadata: metadataIn(metadata), emails };
    }),
    parkedPayments: itemsOf(parked, (payment) => ({
      id: payment.id,
      processor: payment.processor,
      email: payment.parked?.fact.customer.email ?? null,
      name: payment.parked?.fact.customer.name ?? null,
    })),
  };
}

function metadataIn(json: string | null): Record<string, unknown> | null {
  return json === null ? null : JSON.parse(json);
}

/**
 * Erases what identifies a customer, permanently: what later reports say under the same id is not stored. Ids, amounts
 * and ledger entries stay. The server deletes the bodies of further deliveries that mention the person within minutes
 * (`inbox/erase-bodies.ts`). Erasing again changes nothing. Once the first unit of work is committed, the rest is erased
 * even if the process ends.
 *
 * @param named see `readNamed`
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` while an import is under way, and for the address of customers;
 * `OUTCOME_UNKNOWN` when the service stops before everything is erased
 */
export async function eraseCustomer(service: Service, accountId: AccountId, named: string): Promise<void> {
  const scope = { accountId, now: service.clock() };
  await service.database.report((tx) => requireNamed(tx, accountId, named));
  const erase = async (tx: Transaction) => {
    const known = await readNamed(tx, accountId, named);
    // with the key of `eraseFromImports`: if another erasure holds it, this one waits instead of starting again
    const mayHaveChanged = await claimPerson(tx, accountId, known, [claimKeys.imports(accountId)]);
    await eraseFromImports(tx, accountId, scope.now);
    const person = mayHaveChanged ? await readNamed(tx, accountId, named) : known;
    await erasePerson(tx, scope, person);
    // never the address, which would stay
    noteChange(tx, { resourceId: person.externalId ?? person.customer?.id ?? 'an e-mail address' });
    return person;
  };
  const { rest, many } = await service.database.write(erase, { alone: true });
  const owners = [rest?.customerId, many.length > 0 ? PARKED : undefined].filter((owner) => owner !== undefined);
  for (const owner of owners) {
    if (await eraseRest(service, accountId, owner)) continue;
    throw new ServiceError('OUTCOME_UNKNOWN', 'Interrupted: a server erases the rest when it runs');
  }
}
