import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { notFound, ServiceError } from '../errors.ts';
import { findPartnersByEmail } from './queries/partners.ts';

/**
 * The id of a partner who is named by id or by e-mail address. An id is returned unchanged.
 *
 * @throws ServiceError `NOT_FOUND` for the address; `CONFLICT` when partners of several programs have it
 */
export async function resolvePartner(service: Service, accountId: AccountId, idOrEmail: string): Promise<string> {
  if (!idOrEmail.includes('@')) return idOrEmail;
  const email = idOrEmail.trim().toLowerCase();
  const ids = await service.database.read((tx) => findPartnersByEmail(tx, accountId, email));
  const [only, ...others] = ids;
  if (only === undefined) throw notFound('partner', email);
  if (others.length === 0) return only.id;
  const named = ids.map(({ id, programName }) => `${id} (${programName})`).join(', ');
  throw new ServiceError('CONFLICT', `${email} is a partner of several programs; name one by its id: ${named}`);
}
