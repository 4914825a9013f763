import { noteChange } from '../../app/noted-changes.ts';
import type { EntryId, PayoutId } from '../../core/ids.ts';
import { formatMoney } from '../../core/money.ts';
import type { ServiceError } from '../../errors.ts';
import { addImportedEntry, entriesOfEarned, partnerOfEntry } from '../../ledger/imported.ts';
import { type FoundSale, findKnownPayment, importSale, voidImportedSale } from '../../payments/imports/import-sale.ts';
import { getReversibleSale } from '../../payments/reverse-sale.ts';
import { payElsewhere } from '../../payouts/paid-elsewhere.ts';
import { refused } from '../manifest.ts';
import { findRecord, type ImportedRecord, putRecord, type RecordKey } from '../queries/imported-records.ts';
import { requireAmounts } from './amounts.ts';
import { lookAheadToEntry, notePayment, requireNoEntry, requireNoRefund, requireNoSale } from './counted-twice.ts';
import type { MovedCommission, MovedSale, MovedStatus } from './facts.ts';
import { asByOtherWay, findByOtherWay, lookAheadEitherWay } from './other-way.ts';
import { type OwnedCommission, withOwner } from './owned-commission.ts';
import { correctOwnPayout, lookAheadToPayout, payoutFor } from './payouts.ts';
import { lookAheadToPartner, requireSamePartner } from './people.ts';
import { isSale, requireSameAmount } from './same-amount.ts';
import {
  claimSale,
  isRowWithoutCommission,
  notAttributed,
  requireNotOnlyHere,
  requireSameCommission,
} from './same-sale.ts';
import { type Applied, changed, created, type MovedTarget, unchanged } from './target.ts';

/**
 * A commission becomes a sale with the amount that was earned there or, if the sale is unknown, a ledger entry: open,
 * in a paid payout, or reversed. Importing it again changes nothing, unless its status at the source has advanced.
 */
export async function applyCommission(target: MovedTarget, given: MovedCommission): Promise<Applied> {
  const { tx, accountId, source } = target;
  requireAmounts(
    given.sale === null
      ? [Math.abs(given.amountMinor)]
      : [given.amountMinor, given.sale.amountMinor, given.sale.grossMinor, given.sale.refundedMinor],
    'An amount is negative or too large: correct what the partner is owed with an adjustment',
  );
  const key: RecordKey = { source: source.name, kind: 'commission', sourceId: given.id };
  tx.lookAhead((ahead) =>
    Promise.all([
      lookAheadEitherWay(ahead, target, key),
      lookAheadToPartner(ahead, target, given.partnerId),
      given.isSaleRow && given.amountMinor !== 0 ? lookAheadToEntry(ahead, target, given.payment) : null,
    ]),
  );
  const known = await findRecord(tx, accountId, key);
  const commission = await withOwner(target, isZeroed(given, known) ? { ...given, amountMinor: known.amount } : given);
  const { status, amountMinor, currency } = commission;
  if (known === undefined) {
    const other = await findByOtherWay(target, key);
    if (other !== undefined) {
      await requireSameOwner(target, commission, other);
      return asByOtherWay(target, commission, other);
    }
    const { reason, ...recorded } = await recordCommission(target, commission);
    const { ownId, isHere } = recorded;
    await moveOn(target, commission, recorded);
    putRecord(tx, accountId, key, { ownId, state: status, amount: amountMinor, currency });
    noteChange(tx, { resourceId: ownId, after: { from: commission.origin, status, amount: amountMinor, currency } });
    return { ...created, reason, ...ofSale(ownId, isHere) };
  }
  await requireSameOwner(target, commission, known);
  await requireSameAmount(target, commission, known);
  // again, because earlier versions did not store whose commission a sale is
  if (isSale(known.ownId)) await claimSale(target, commission, { saleId: known.ownId });
  if (known.state === status) {
    if (!isSale(known.ownId) && status !== 'reversed' && amountMinor >= 0)
      await requireNoSale(target, commission, known.ownId as EntryId);
    const isCorrected = status === 'paid' && (await correctOwnPayout(target, commission));
    return { ...(isCorrected ? changed : unchanged), ...ofSale(known.ownId, true) };
  }
  await moveOn(target, commission, { ownId: known.ownId, from: known.state as MovedStatus, isHere: true });
  putRecord(tx, accountId, key, { ...known, state: status, amount: amountMinor });
  noteChange(tx, { resourceId: known.ownId, before: { status: known.state }, after: { status } });
  return { ...changed, ...ofSale(known.ownId, true) };
}

function ofSale(ownId: string, isHere: boolean): Pick<Applied, 'isSale' | 'knownId'> {
  return isSale(ownId) ? { isSale: true, ...(isHere ? { knownId: ownId } : {}) } : {};
}

/** What a commission became, and the status that it has here. */
interface Recorded {
  ownId: string;
  reason: string | null;
  from: MovedStatus;
  /** True when it was here before. */
  isHere: boolean;
}

/** Records what was earned, as open. */
async function recordCommission(target: MovedTarget, commission: OwnedCommission): Promise<Recorded> {
  const { tx, service, accountId } = target;
  const { sale, payment, owner, amountMinor, currency, dueAt, origin } = commission;
  if (sale !== null && sale.currency === currency) return recordSale(target, commission, sale);
  const entry = { ...owner, accountId, amountMinor, currency, availableAt: dueAt, reason: origin };
  const addEntry = () => addImportedEntry(tx, entry, service.clock());
  if (amountMinor < 0) {
    // it takes back a part of another commission, whose payment it may name
    await requireNoRefund(target, commission);
    return { ownId: await addEntry(), reason: 'a negative entry of the ledger', from: 'open', isHere: false };
  }
  const known = await findKnownPayment(tx, { accountId, now: service.clock() }, payment);
  const earnedNothing = known.sale !== null && (await isRowWithoutCommission(target, commission, known.sale));
  if (known.sale !== null && !earnedNothing) return asKnownSale(target, commission, known.sale);
  if (known.parkedId !== null) throw notAttributed(known.parkedId);
  const ownId = await addEntry();
  await notePayment(target, commission, ownId);
  const why = sale === null ? 'its sale is not known' : `its sale was in ${sale.currency.toUpperCase()}`;
  const reason = earnedNothing ? 'its sale was imported without it' : why;
  return { ownId, reason: `an entry of the ledger without a sale, because ${reason}`, from: 'open', isHere: false };
}

async function recordSale(target: MovedTarget, commission: OwnedCommission, sale: MovedSale): Promise<Recorded> {
  const { owner, payment, amountMinor, currency, occurredAt, dueAt, origin } = commission;
  await requireNoEntry(target, commission);
  const { tx, service, accountId } = target;
  const { customer } = sale;
  const { externalId, email, name, atProcessor } = customer;
  const processorCustomerId = atProcessor?.processor === payment.processor ? atProcessor.customerId : null;
  const found = await importSale(
    tx,
    { accountId, now: service.clock() },
    {
      partnerId: owner.partnerId,
      customer: { externalId, email, name, processorCustomerId },
      ...payment,
      eventName: 'Purchase',
      amountMinor: sale.amountMinor,
      grossMinor: sale.grossMinor,
      currency,
      occurredAt,
      earned: {
        commission: { amountMinor, reason: origin },
        availableAt: dueAt,
        refundedMinor: sale.refundedMinor,
      },
      origin,
    },
  );
  if (found.isKnown) return asKnownSale(target, commission, found);
  await claimSale(target, commission, found);
  return { ownId: found.saleId, reason: null, from: 'open', isHere: false };
}

/** The sale that already counts the commission's payment. @throws ServiceError `CONFLICT` unless both agree */
async function asKnownSale(target: MovedTarget, commission: OwnedCommission, sale: FoundSale): Promise<Recorded> {
  await requireSameCommission(target, commission, sale);
  const isVoid = commission.status === 'reversed';
  if (isVoid) await requireNotOnlyHere(target, sale);
  await claimSale(target, commission, sale);
  const reason = `the sale ${sale.saleId} already existed, with the same commission`;
  return { ownId: sale.saleId, reason, from: isVoid && sale.isReversed ? 'reversed' : 'open', isHere: true };
}

/** Moves an open commission to its status at the source. */
async function moveOn(
  target: MovedTarget,
  commission: OwnedCommission,
  { ownId, from, isHere }: Omit<Recorded, 'reason'>,
): Promise<void> {
  const { status } = commission;
  if (status === from) return;
  if (status === 'paid' && from === 'open') return markPaid(target, commission, { ownId, isHere });
  if (status === 'reversed') return reverse(target, commission, ownId);
  throw refused(
    `It was ${from} when it was imported, and is ${status} at ${target.source.title} now: settle the difference with an ` +
      'adjustment',
  );
}

async function markPaid(
  target: MovedTarget,
  commission: OwnedCommission,
  { ownId, isHere }: Pick<Recorded, 'ownId' | 'isHere'>,
): Promise<void> {
  const { tx, service, accountId } = target;
  const { owner, amountMinor, currency } = commission;
  // nothing was paid, and a sale that earned nothing has no entry
  if (amountMinor === 0) return;
  tx.lookAhead((ahead) => lookAheadToPayout(ahead, target, commission));
  const entryIds = isSale(ownId) ? await entriesOfEarned(tx, ownId, amountMinor) : [ownId as EntryId];
  if (entryIds === null) throw neverEarned(commission, ownId);
  const payoutId: PayoutId = await payoutFor(target, commission, isHere);
  const queued = { accountId, ...owner, currency, createdAt: service.clock() };
  for (const entryId of entryIds) await payElsewhere(tx, { ...queued, payoutId, entryId });
}

async function reverse(target: MovedTarget, commission: OwnedCommission, ownId: string): Promise<void> {
  const { tx, service, accountId, source } = target;
  const now = service.clock();
  if (isSale(ownId)) {
    const counted = await voidImportedSale(tx, { accountId, now }, ownId, `voided at ${source.title}`);
    if (counted !== null) await requireNotOnlyHere(target, counted);
    return;
  }
  const { owner, amountMinor, currency, dueAt, origin } = commission;
  const reason = `${origin}, voided there`;
  const entry = { ...owner, accountId, amountMinor: -amountMinor, currency, availableAt: dueAt, reason };
  await addImportedEntry(tx, entry, now);
}

/** @throws ServiceError `CONFLICT` when what a commission became here belongs to another partner */
async function requireSameOwner(
  target: MovedTarget,
  { owner }: OwnedCommission,
  { ownId }: ImportedRecord,
): Promise<void> {
  const { tx, accountId } = target;
  const before = isSale(ownId)
    ? (await getReversibleSale(tx, accountId, ownId)).partnerId
    : await partnerOfEntry(tx, accountId, ownId as EntryId);
  await requireSamePartner(target, { before, now: owner.partnerId });
}

/** Some services set what they take back to zero, such as Tolt. */
function isZeroed(
  { status, amountMinor }: MovedCommission,
  known: ImportedRecord | undefined,
): known is ImportedRecord & { amount: number } {
  return status === 'reversed' && amountMinor === 0 && known !== undefined && known.amount !== null;
}

function neverEarned({ amountMinor, currency }: OwnedCommission, ownId: string): ServiceError {
  return refused(
    `It is ${formatMoney(amountMinor, currency)}, and the sale ${ownId} never earned this: adjust what the partner is owed`,
  );
}
