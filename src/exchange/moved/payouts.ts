import { noteChange } from '../../app/noted-changes.ts';
import type { PartnerId, PayoutId, ProgramId } from '../../core/ids.ts';
import { formatMoney } from '../../core/money.ts';
import { ServiceError } from '../../errors.ts';
import { addImportedEntry } from '../../ledger/imported.ts';
import { getPayout } from '../../payouts/list.ts';
import { addPaidPayout, correctPaidAt, payElsewhere } from '../../payouts/paid-elsewhere.ts';
import type { Transaction } from '../../storage/database.ts';
import { refused } from '../manifest.ts';
import { findImportedPayout } from '../queries/imported-payouts.ts';
import { findRecord, putRecord, type RecordKey } from '../queries/imported-records.ts';
import { requireAmounts } from './amounts.ts';
import type { MovedCommission, MovedPayout } from './facts.ts';
import { findByEitherWay, findByOtherWay, lookAheadEitherWay, otherNameOf } from './other-way.ts';
import { keptPartnerOf, requireSamePartner } from './people.ts';
import { type Applied, changed, created, type MovedTarget, unchanged } from './target.ts';

/** A payout's own id or, if the source does not name payouts, the id of the only commission in it. */
interface PaidPayout {
  id: string;
  currency: string;
  paidAt: number;
  owner: { partnerId: PartnerId; programId: ProgramId };
}

/**
 * Our payout that contains a commission paid at the source; the first commission of a payout creates it.
 *
 * @param isHere true when the commission was here before this import, and is open
 */
export async function payoutFor(
  target: MovedTarget,
  { id, payout, paidAt, currency, occurredAt, owner }: MovedCommission & Pick<PaidPayout, 'owner'>,
  isHere: boolean,
): Promise<PayoutId> {
  const { service, accountId } = target;
  const paid: PaidPayout = {
    id: payout?.id ?? payoutOfOne(id),
    paidAt: payout?.paidAt ?? paidAt ?? occurredAt,
    currency,
    owner,
  };
  const known = await findByEitherWay(target, keyOf(target, paid));
  if (known === undefined) {
    if (payout === null) await requireNoWhole(target, paid, isHere);
    return addPayout(target, paid, 'of commissions');
  }
  if (known.state !== 'of commissions') {
    const remedy = isHere ? `: ${DEDUCT}` : '';
    throw refused(
      `Its payout ${paid.id} was imported as a whole before, so this commission would be paid twice${remedy}`,
    );
  }
  const found = await getPayout(service, accountId, known.ownId);
  if (found.partnerId === owner.partnerId) return known.ownId as PayoutId;
  throw refused(`Its payout ${paid.id} is of another partner (${found.partnerName})`);
}

/** Looks up what `payoutFor` will ask for first; see `Transaction.lookAhead`. */
export function lookAheadToPayout(
  tx: Transaction,
  target: MovedTarget,
  { id, payout, currency }: MovedCommission,
): Promise<void> {
  return lookAheadEitherWay(tx, target, keyOf(target, { id: payout?.id ?? payoutOfOne(id), currency }));
}

/** What to do about a commission that is open here, and in a payout that has an entry of its own for it. */
const DEDUCT = 'deduct it with an adjustment, because it is still open here and would be paid again';

/**
 * Corrects when a commission that is alone in its payout was paid. Earlier versions did not read the date, and took the
 * one when it was earned.
 *
 * @returns false when nothing changes
 */
export async function correctOwnPayout(
  target: MovedTarget,
  { id, payout, paidAt, currency }: MovedCommission,
): Promise<boolean> {
  if (payout !== null || paidAt === null) return false;
  const key = keyOf(target, { id: payoutOfOne(id), currency });
  const known = await findRecord(target.tx, target.accountId, key);
  return known !== undefined && correctPaidAt(target.tx, known.ownId as PayoutId, paidAt);
}

/** The id of a payout that the source does not name. */
const payoutOfOne = (commissionId: string) => `commission ${commissionId}`;

/**
 * Compares a payout with its commissions if those were imported. Otherwise, creates a paid payout with a single entry:
 * earned, paid, and no longer owed.
 */
export async function applyPayout(target: MovedTarget, payout: MovedPayout): Promise<Applied> {
  const { tx, service, accountId, source } = target;
  const { id, currency, amountMinor, paidAt } = payout;
  const { id: partnerId, programId } = await keptPartnerOf(target, payout.partnerId);
  const paid = { id, currency, paidAt, owner: { partnerId, programId } };
  const key = keyOf(target, paid);
  const own = await findRecord(tx, accountId, key);
  const known = own ?? (await findByOtherWay(target, key));
  if (known !== undefined) {
    const { amount, partnerId: before } = await getPayout(service, accountId, known.ownId);
    await requireSamePartner(target, { before, now: partnerId });
    const isTooLow = (amount ?? 0) < amountMinor;
    const single = isTooLow ? await findByState(target, paid, 'single') : undefined;
    const compared = compareWithCommissions(payout, amount ?? 0, { title: source.title, singleId: single?.id });
    // each commission has a date of its own, the first of which the payout got
    return own !== undefined && (await correctPaidAt(tx, known.ownId as PayoutId, paidAt)) ? changed : compared;
  }
  // one of 0 paid no commission
  if (amountMinor !== 0) await requireNoSingle(target, paid);
  requireAmounts([amountMinor], 'Its amount is negative or too large: check its currency and its decimal point');
  const payoutId = await addPayout(target, paid, 'as a whole');
  const owner = { accountId, partnerId, programId };
  const reason = `${source.title}, payout ${id}: earned before the move`;
  const entry = { ...owner, amountMinor, currency, availableAt: paidAt, reason };
  const now = service.clock();
  const entryId = await addImportedEntry(tx, entry, now);
  await payElsewhere(tx, { ...owner, currency, createdAt: now, payoutId, entryId });
  noteChange(tx, { resourceId: payoutId, after: { from: reason, amount: amountMinor, currency } });
  return { ...created, reason: 'with one entry for all of its commissions' };
}

/**
 * Guards a payout that no commission names.
 *
 * @throws ServiceError `CONFLICT` when it may have paid commissions that are each in a payout of their own
 */
async function requireNoSingle(target: MovedTarget, paid: PaidPayout): Promise<void> {
  const single = await findByState(target, paid, 'single');
  if (single === undefined) return;
  throw new ServiceError(
    'CONFLICT',
    `Commissions of its partner in ${paid.currency.toUpperCase()} were imported as paid without naming a payout, such as ` +
      `that in ${single.id}: if it paid them, leave it out, because they would count twice; otherwise import it from a file ` +
      'with another name of the service (--from)',
  );
}

/**
 * Guards a paid commission that names no payout. Where its partner has another one in a payout of its own, no payout was
 * imported as a whole.
 *
 * @throws ServiceError `CONFLICT` when a payout that was imported as a whole may have paid it
 */
async function requireNoWhole(target: MovedTarget, paid: PaidPayout, isHere: boolean): Promise<void> {
  if ((await findByState(target, paid, 'single')) !== undefined) return;
  const whole = await findByState(target, paid, 'as a whole');
  if (whole === undefined) return;
  throw new ServiceError(
    'CONFLICT',
    `It is paid and names no payout, and ${whole.id} of its partner was imported as a whole: if that paid it, ` +
      `${isHere ? DEDUCT : 'leave it out, because it would count twice'}; otherwise import it from a file that names its payout`,
  );
}

/** A payout of the partner from this service, whichever way it came. */
function findByState(
  target: MovedTarget,
  { owner, currency }: PaidPayout,
  state: 'single' | 'as a whole',
): Promise<{ id: PayoutId } | undefined> {
  const { tx, accountId, source } = target;
  const sources = { source: source.name, otherSource: otherNameOf(source) ?? source.name };
  // in characters, as SQL counts them
  const idFrom = [...noteOf(target, '')].length + 1;
  return findImportedPayout(tx, { accountId, partnerId: owner.partnerId, currency, ...sources, idFrom, state });
}

/**
 * @param singleId a payout of the partner here that has a commission of its own, which the other service may have paid
 *   while the import read it
 * @throws ServiceError `VALIDATION_ERROR` when the commissions of a payout do not add up to its amount
 */
function compareWithCommissions(
  { amountMinor, currency }: MovedPayout,
  ofCommissions: number,
  { title, singleId }: { title: string; singleId?: PayoutId | undefined },
): Applied {
  if (ofCommissions === amountMinor) return unchanged;
  const [here, there] = [formatMoney(ofCommissions, currency), formatMoney(amountMinor, currency)];
  const unless =
    singleId === undefined
      ? ''
      : `, unless it also paid commissions that were imported as paid without naming a payout, such as that in ${singleId}`;
  throw refused(`${title} paid ${there}, but its commissions here add up to ${here}: adjust the difference${unless}`);
}

async function addPayout(
  target: MovedTarget,
  paid: PaidPayout,
  state: 'of commissions' | 'as a whole',
): Promise<PayoutId> {
  const { tx, service, accountId, source } = target;
  const { id, currency, paidAt, owner } = paid;
  const payoutId = await addPaidPayout(tx, {
    accountId,
    programId: owner.programId,
    partnerId: owner.partnerId,
    currency,
    paidAt,
    paidBy: source.title,
    note: noteOf(target, id),
    createdAt: service.clock(),
  });
  putRecord(tx, accountId, keyOf(target, paid), { ownId: payoutId, state, amount: null, currency });
  return payoutId;
}

const noteOf = ({ source }: MovedTarget, id: string) => `Paid by ${source.title}: ${id}`;

function keyOf({ source }: MovedTarget, { id, currency }: Pick<PaidPayout, 'id' | 'currency'>): RecordKey {
  return { source: source.name, kind: 'payout', sourceId: `${id} ${currency}` };
}
