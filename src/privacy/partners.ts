import { type ErasedEntries, eraseFromAuditLog, NO_ENTRIES } from '../accounts/erase.ts';
import { noteChange } from '../app/noted-changes.ts';
import { markOf } from '../app/person-marks.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { formatMoney } from '../core/money.ts';
import { ServiceError } from '../errors.ts';
import { restartEventErasure } from '../events/erase.ts';
import { eraseFromImports } from '../exchange/jobs/imports.ts';
import { addMark } from '../inbox/marks.ts';
import { getEarnings } from '../ledger/earnings.ts';
import { erasePaymentsOfPartner } from '../payouts/erase.ts';
import { ERASED_NAME, erasePartnerName, isDeletedPartner, PERSONAL_MEMBERS } from '../programs/erase.ts';
import { claimPartner, getPartner, requirePartner } from '../programs/partners.ts';
import { endAccessOf } from '../programs/portal-access.ts';
import type { Transaction } from '../storage/database.ts';
import type { PartnerData } from './schemas.ts';

/** @throws ServiceError `NOT_FOUND` */
export async function disclosePartner(service: Service, accountId: AccountId, id: string): Promise<PartnerData> {
  const { name, email, tenantId, discountCodes, payoutDetails, createdAt } = await getPartner(service, accountId, id);
  return { id, name, email, tenantId, discountCodes, payoutDetails, createdAt };
}

/**
 * Erases what identifies a partner: name, e-mail address and payment details, also in the audit log, in events and in bank
 * files. Links, codes and earnings stay. Access to the portal ends, because payment details could be entered there again.
 * A deleted partner, who never had a balance, is erased from the audit log and from events. The audit log goes first, in
 * slices, so that other requests go on; if it is interrupted, the partner is not erased, and may be erased again.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` while a balance is not zero, anything is due or on its way, or an import
 * runs
 */
export async function erasePartner(service: Service, accountId: AccountId, id: string): Promise<void> {
  const { database, clock } = service;
  const isDeleted = (tx: Transaction) => isDeletedPartner(tx, accountId, id);
  if (!(await database.read(isDeleted))) await requireSettled(service, accountId, id);
  const now = clock();
  const named = { accountId, partnerId: id, members: PERSONAL_MEMBERS, name: ERASED_NAME };
  const eraseNext = async (tx: Transaction, erased: ErasedEntries): Promise<ErasedEntries | null> => {
    await claimPartner(tx, id);
    await eraseFromImports(tx, accountId, now);
    const partner = (await isDeleted(tx)) ? null : await requirePartner(tx, accountId, id);
    const left = await eraseFromAuditLog(tx, named, erased);
    if (left !== null) return left;
    if (partner !== null) {
      await erasePartnerName(tx, partner);
      await endAccessOf(tx, partner.id, now);
      await erasePaymentsOfPartner(tx, accountId, partner.id);
    }
    await addMark(tx, accountId, markOf(accountId, 'partner', id), now);
    await restartEventErasure(tx, accountId);
    noteChange(tx, { resourceId: id, secretMembers: PERSONAL_MEMBERS });
    return null;
  };
  let erased: ErasedEntries | null = NO_ENTRIES;
  while (erased !== null) {
    const before: ErasedEntries = erased;
    erased = await database.write((tx) => eraseNext(tx, before));
  }
}

async function requireSettled(service: Service, accountId: AccountId, id: string): Promise<void> {
  const { data } = await getEarnings(service, accountId, id, { from: null, to: null, interval: null });
  // what is on hold counts: an adjustment, which is due at once, can then settle it before the hold is over
  const balances = data.map(({ held, payable, currency }) => ({ amount: held + payable, currency }));
  const open = balances.filter(({ amount }) => amount !== 0);
  if (open.length > 0) {
    const amounts = open.map(({ amount, currency }) => formatMoney(amount, currency));
    const message = `The balance of ${id} is ${amounts.join(' and ')}: pay it, or adjust it to zero, then erase`;
    throw new ServiceError('INVALID_STATE', message);
  }
  // a debt on hold, as of what was paid before its hold was over, does not keep a run from paying what is due
  const due = data.filter(({ payable }) => payable > 0).map(({ payable, currency }) => formatMoney(payable, currency));
  if (due.length > 0) {
    const message = `${due.join(' and ')} is due to ${id} or on its way, and only a debt on hold makes up for it: erase once that debt is due`;
    throw new ServiceError('INVALID_STATE', message);
  }
}
