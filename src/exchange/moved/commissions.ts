import { noteChange } from '../../app/noted-changes.ts';
import { availableAt } from '../../core/commission.ts';
import type { EntryId, PartnerId, PayoutId, SaleId } from '../../core/ids.ts';
import { formatMoney } from '../../core/money.ts';
import { ServiceError } from '../../errors.ts';
import { addImportedEntry, commissionEntryOf } from '../../ledger/imported.ts';
import { importSale, voidImportedSale } from '../../payments/import-sale.ts';
import { payElsewhere } from '../../payouts/paid-elsewhere.ts';
import { getPartner } from '../../programs/partners.ts';
import { getProgram } from '../../programs/programs.ts';
import { refused } from '../manifest.ts';
import { findRecord, type ImportedRecord, putRecord, type RecordKey } from '../queries/imported-records.ts';
import { requireAmounts } from './amounts.ts';
import type { MovedCommission, MovedSale, MovedStatus } from './facts.ts';
import { payoutFor } from './payouts.ts';
import { partnerIdOf } from './people.ts';
import { type Applied, changed, created, type MovedTarget, unchanged } from './target.ts';

/** A commission with its owner here. */
interface OwnedCommission extends MovedCommission {
  owner: { partnerId: PartnerId; programId: string };
  dueAt: number;
  /** Such as `Rewardful, commission 39e6`. */
  origin: string;
}

/**
 * A commission becomes a sale with the amount that was earned there or, if the sale is unknown, a ledger entry: open,
 * in a paid payout, or reversed. Importing it again changes nothing, unless its status at the source has advanced.
 */
export async function applyCommission(target: MovedTarget, given: MovedCommission): Promise<Applied> {
  const { tx, accountId, source } = target;
  requireAmounts(
    [given.amountMinor, ...(given.sale === null ? [] : [given.sale.amountMinor, given.sale.grossMinor])],
    'An amount is negative or too large: correct what the partner is owed with an adjustment',
  );
  const key: RecordKey = { source: source.name, kind: 'commission', sourceId: given.id };
  const known = await findRecord(tx, accountId, key);
  const commission = await withOwner(target, given);
  const { status, amountMinor, currency } = commission;
  if (known === undefined) {
    const { ownId, reason } = await recordCommission(target, commission);
    await moveOn(target, commission, { ownId, from: 'open' });
    await putRecord(tx, accountId, key, { ownId, state: status, amount: amountMinor, currency });
    noteChange(tx, { resourceId: ownId, after: { from: commission.origin, status, amount: amountMinor, currency } });
    return { ...created, reason };
  }
  if (known.amount !== amountMinor || known.currency !== currency) throw amountDiffers(known, commission);
  if (known.state === status) return unchanged;
  await moveOn(target, commission, { ownId: known.ownId, from: known.state as MovedStatus });
  await putRecord(tx, accountId, key, { ...known, state: status });
  noteChange(tx, { resourceId: known.ownId, before: { status: known.state }, after: { status } });
  return changed;
}

async function withOwner(target: MovedTarget, commission: MovedCommission): Promise<OwnedCommission> {
  const { service, accountId, source } = target;
  const partnerId = await partnerIdOf(target, commission.partnerId);
  const { programId } = await getPartner(service, accountId, partnerId);
  const { holdDays } = await getProgram(service, accountId, programId);
  const dueAt = commission.dueAt ?? availableAt(commission.occurredAt, holdDays);
  const origin = `${source.title}, commission ${commission.id}`;
  return { ...commission, owner: { partnerId, programId }, dueAt, origin };
}

/** Records what was earned, as open. */
async function recordCommission(
  target: MovedTarget,
  commission: OwnedCommission,
): Promise<{ ownId: string; reason: string | null }> {
  const { tx, service, accountId } = target;
  const { sale, owner, amountMinor, currency, dueAt, origin } = commission;
  if (sale !== null && sale.currency === currency) return recordSale(target, commission, sale);
  const entry = { ...owner, accountId, amountMinor, currency, availableAt: dueAt, reason: origin };
  // a row with this program id was just read
  const ownId = await addImportedEntry(tx, { ...entry, programId: owner.programId as never }, service.clock());
  const why = sale === null ? 'its sale is not known' : `its sale was in ${sale.currency.toUpperCase()}`;
  return { ownId, reason: `an entry of the ledger without a sale, because ${why}` };
}

async function recordSale(
  { tx, service, accountId }: MovedTarget,
  { owner, amountMinor, currency, occurredAt, dueAt, origin }: OwnedCommission,
  sale: MovedSale,
): Promise<{ ownId: string; reason: string | null }> {
  const { customer, processor, invoiceId, references } = sale;
  const { externalId, email, name, atProcessor } = customer;
  const processorCustomerId = atProcessor?.processor === processor ? atProcessor.customerId : null;
  const found = await importSale(
    tx,
    { accountId, now: service.clock() },
    {
      partnerId: owner.partnerId,
      customer: { externalId, email, name, processorCustomerId },
      processor,
      invoiceId,
      references,
      eventName: 'Purchase',
      amountMinor: sale.amountMinor,
      grossMinor: sale.grossMinor,
      currency,
      occurredAt,
      earned: { commission: { amountMinor, reason: origin }, availableAt: dueAt },
      origin,
    },
  );
  if (!found.isKnown) return { ownId: found.saleId, reason: null };
  if (found.partnerId === owner.partnerId && found.currency === currency && found.commissionMinor === amountMinor) {
    return { ownId: found.saleId, reason: `the sale ${found.saleId} already existed, with the same commission` };
  }
  const here = formatMoney(found.commissionMinor, found.currency);
  throw new ServiceError(
    'CONFLICT',
    `Its payment is the sale ${found.saleId} here, which earned ${here} for ${found.partnerId}: if that is wrong, adjust what ` +
      'the partner is owed; nothing was counted again',
  );
}

/** Moves an open commission to its status at the source. */
async function moveOn(
  target: MovedTarget,
  commission: OwnedCommission,
  { ownId, from }: { ownId: string; from: MovedStatus },
): Promise<void> {
  const { status } = commission;
  if (status === from) return;
  if (status === 'paid' && from === 'open') return markPaid(target, commission, ownId);
  if (status === 'reversed') return reverse(target, commission, ownId);
  throw refused(
    `It was ${from} when it was imported, and is ${status} at ${target.source.title} now: settle the difference with an ` +
      'adjustment',
  );
}

async function markPaid(target: MovedTarget, commission: OwnedCommission, ownId: string): Promise<void> {
  const { tx, accountId } = target;
  const { owner, currency } = commission;
  const entryId = isSale(ownId) ? await commissionEntryOf(tx, ownId) : (ownId as EntryId);
  // a commission of zero has no entry
  if (entryId === null) return;
  const payoutId: PayoutId = await payoutFor(target, commission);
  payElsewhere(tx, { accountId, payoutId, entryId, partnerId: owner.partnerId, currency });
}

async function reverse(target: MovedTarget, commission: OwnedCommission, ownId: string): Promise<void> {
  const { tx, service, accountId, source } = target;
  const now = service.clock();
  if (isSale(ownId)) {
    await voidImportedSale(tx, { accountId, now }, ownId, `voided at ${source.title}`);
    return;
  }
  const { owner, amountMinor, currency, dueAt, origin } = commission;
  const reason = `${origin}, voided there`;
  const entry = { partnerId: owner.partnerId, programId: owner.programId as never, accountId };
  await addImportedEntry(tx, { ...entry, amountMinor: -amountMinor, currency, availableAt: dueAt, reason }, now);
}

function isSale(ownId: string): ownId is SaleId {
  return ownId.startsWith('sal_');
}

function amountDiffers({ amount, currency }: ImportedRecord, now: MovedCommission): ServiceError {
  const [before, after] = [formatMoney(amount ?? 0, currency ?? ''), formatMoney(now.amountMinor, now.currency)];
  return refused(
    `It was ${before} when it was imported, and is ${after} now: settle the difference with an adjustment`,
  );
}
