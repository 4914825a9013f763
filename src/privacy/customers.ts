import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import { eraseFromImports } from '../exchange/jobs/imports.ts';
import { bodiesOf } from '../inbox/erase-bodies.ts';
import { visitsOf } from '../links/erase.ts';
import { claimPerson, erasePerson } from '../payments/erase.ts';
import { type PersonRecord, readPerson, sourcesOf } from '../payments/person-record.ts';
import type { CustomerData } from './schemas.ts';

/**
 * Everything that is stored about a customer, or about a person whom only parked payments name.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export function discloseCustomer(service: Service, accountId: AccountId, externalId: string): Promise<CustomerData> {
  return service.database.report(async (tx) => {
    const person = await readPerson(tx, accountId, externalId);
    const { clickIds, deliveryIds } = await sourcesOf(tx, person);
    const visits = await visitsOf(tx, accountId, clickIds);
    const bodies = await bodiesOf(tx, accountId, deliveryIds);
    return {
      ...asData(externalId, person),
      clicks: visits.map(({ id, referrerHost, device, country, createdAt }) => {
        return { id, referrerHost, device, country, createdAt: isoTime(createdAt) };
      }),
      deliveries: bodies.map(({ id, eventType, receivedAt, body }) => {
        return { id, eventType, receivedAt: isoTime(receivedAt), body: Buffer.from(body).toString('utf8') };
      }),
    };
  });
}

function asData(
  externalId: string,
  { customer, leads, sales, parked }: PersonRecord,
): Omit<CustomerData, 'clicks' | 'deliveries'> {
  return {
    externalId,
    customer: customer && {
      id: customer.id,
      email: customer.email,
      name: customer.name,
      avatar: customer.avatar,
      createdAt: isoTime(customer.createdAt),
    },
    leads: leads.map(({ eventName, clickId, metadata, createdAt }) => {
      return { eventName, clickId, metadata, createdAt: isoTime(createdAt) };
    }),
    sales: sales.map(({ id, clickId, metadata, steps }) => {
      const emails = steps.flatMap(({ step, value }) => (step === 'email' && value !== null ? [value] : []));
      return { id, clickId, metadata, emails };
    }),
    parkedPayments: parked.map((payment) => ({
      id: payment.id,
      processor: payment.processor,
      email: payment.parked?.fact.customer.email ?? null,
      name: payment.parked?.fact.customer.name ?? null,
    })),
  };
}

/**
 * Erases what identifies a customer, permanently: what later reports say under the same id is not stored. Ids, amounts
 * and ledger entries stay. The server deletes the bodies of further deliveries that mention the person within minutes
 * (`inbox/erase-bodies.ts`). Erasing again changes nothing.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` while an import is under way
 */
export function eraseCustomer(service: Service, accountId: AccountId, externalId: string): Promise<void> {
  const scope = { accountId, now: service.clock() };
  return service.database.write(async (tx) => {
    await claimPerson(tx, accountId, externalId);
    await eraseFromImports(tx, accountId, scope.now);
    await erasePerson(tx, scope, await readPerson(tx, accountId, externalId));
    noteChange(tx, { resourceId: externalId });
  });
}
