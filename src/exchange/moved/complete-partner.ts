import { changePartner, claimPartner, getPartner } from '../../programs/partners.ts';
import { type Applied, changed, type MovedTarget, unchanged } from './target.ts';

/** What another service or a file says of a partner who exists. */
interface Offered {
  name?: string;
  tenantId?: string | null;
  discountCodes?: readonly string[];
}

/**
 * Adds what a partner does not have: discount codes, and a tenant id. Replaces nothing that is set here; the result says
 * what was left out for that reason.
 *
 * @throws ServiceError `CONFLICT` for a code of another partner of the account, or a tenant id of another of the program;
 *   `VALIDATION_ERROR` for too many codes
 */
export async function completePartner(
  { tx, service, accountId }: Pick<MovedTarget, 'tx' | 'service' | 'accountId'>,
  id: string,
  { name, tenantId = null, discountCodes = [] }: Offered,
): Promise<Applied> {
  await claimPartner(tx, id);
  const known = await getPartner(service, accountId, id);
  const codes = new Set(known.discountCodes.map((code) => code.toLowerCase()));
  const newCodes = discountCodes.filter((code) => !codes.has(code.toLowerCase()));
  const isTenantNew = known.tenantId === null && tenantId !== null;
  const kept = [
    // a name that is missing there is replaced by the address
    ...(name === undefined || name === known.name || name.toLowerCase() === known.email ? [] : ['name']),
    ...(tenantId === null || isTenantNew || tenantId === known.tenantId ? [] : ['tenantId']),
  ];
  const reason = kept.length === 0 ? null : `The partner is here, and keeps its own ${kept.join(' and ')}`;
  const result = (is: Applied): Applied => ({ ...is, reason, hasLeftOut: reason !== null });
  if (newCodes.length === 0 && !isTenantNew) return result(unchanged);
  await changePartner(service, accountId, id, {
    ...(isTenantNew ? { tenantId } : {}),
    ...(newCodes.length > 0 ? { discountCodes: [...known.discountCodes, ...newCodes] } : {}),
  });
  return result(changed);
}
