import { markOf } from '../../app/person-marks.ts';
import type { AccountId } from '../../core/ids.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { isMarked } from '../../inbox/marks.ts';
import type { Transaction } from '../../storage/database.ts';
import { findByAddress, type NamedIdentity } from '../queries/identities.ts';
import { type PersonRecord, ROWS_PER_UNIT, readNamed } from './person-record.ts';

/**
 * As `readNamed`, but refuses an address that nobody has. In a report, because only a scan finds it among processors' ids.
 *
 * @throws ServiceError like `readNamed`
 */
export async function requireNamed(
  tx: Transaction,
  accountId: AccountId,
  named: string,
  rowsMax = ROWS_PER_UNIT,
): Promise<PersonRecord> {
  const person = await readNamed(tx, accountId, named, rowsMax);
  const { externalId, customer, parked, many, emails } = person;
  if (externalId !== null || customer !== null || parked.length + many.length > 0) return person;
  for (const address of emails) {
    if (await isMarked(tx, accountId, markOf(accountId, 'email', address))) return person;
  }
  if ((await findReported(tx, accountId, person)).length > 0) return person;
  throw new ServiceError('NOT_FOUND', `${notFound('customer', named).message}; name a partner by id (ptr_…)`);
}

/**
 * What processors have reported about a person under ids that belong to no customer. In a report, because only a scan
 * finds an address.
 */
export async function findReported(
  tx: Transaction,
  accountId: AccountId,
  { externalId, customer, identities, emails }: PersonRecord,
): Promise<NamedIdentity[]> {
  if (externalId !== null) return identities;
  const found: NamedIdentity[] = [];
  if (customer === null) for (const email of emails) found.push(...(await findByAddress(tx, accountId, email)));
  return found;
}
