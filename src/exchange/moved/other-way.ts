import { formatMoney } from '../../core/money.ts';
import { ServiceError } from '../../errors.ts';
import type { Transaction } from '../../storage/database.ts';
import { findRecord, type ImportedRecord, type RecordKey } from '../queries/imported-records.ts';
import { SOURCE_FORMS } from '../sources/forms.ts';
import type { OwnedCommission } from './owned-commission.ts';
import { type Applied, type MovedTarget, unchanged } from './target.ts';

/** A file that another service has written. */
export function csvSource(title: string): MovedTarget['source'] {
  return { name: `csv ${title.toLowerCase()}`, title };
}

/** Looks a record up as this way of importing from its service has stored it, or else the other one. */
export async function findByEitherWay(
  target: MovedTarget,
  { kind, sourceId }: Omit<RecordKey, 'source'>,
): Promise<ImportedRecord | undefined> {
  const { tx, accountId, source } = target;
  const own = await findRecord(tx, accountId, { source: source.name, kind, sourceId });
  return own ?? findByOtherWay(target, { kind, sourceId });
}

/** Looks up what `findByEitherWay` will ask for; see `Transaction.lookAhead`. */
export async function lookAheadEitherWay(
  tx: Transaction,
  { accountId, source }: Pick<MovedTarget, 'accountId' | 'source'>,
  { kind, sourceId }: Omit<RecordKey, 'source'>,
): Promise<void> {
  const names = [source.name, otherNameOf(source) ?? source.name];
  await Promise.all([...new Set(names)].map((name) => findRecord(tx, accountId, { source: name, kind, sourceId })));
}

/** Looks a record up as the other way of importing from the same service has stored it: from a file, or through its API. */
export async function findByOtherWay(
  { tx, accountId, source }: MovedTarget,
  { kind, sourceId }: Omit<RecordKey, 'source'>,
): Promise<ImportedRecord | undefined> {
  const other = otherNameOf(source);
  return other === undefined ? undefined : findRecord(tx, accountId, { source: other, kind, sourceId });
}

/**
 * A commission that is already here by the other way, as it is now.
 *
 * @throws ServiceError `CONFLICT` when it differs
 */
export function asByOtherWay(
  { source }: MovedTarget,
  { amountMinor, currency, status }: OwnedCommission,
  { ownId, state, amount, currency: ofRecord }: ImportedRecord,
): Applied {
  const way = isFile(source) ? `through the API of ${source.title}` : `from a file of ${source.title}`;
  if (amount === amountMinor && ofRecord === currency && state === status) {
    return { ...unchanged, reason: `imported ${way} before, as ${ownId}` };
  }
  const before = `${formatMoney(amount ?? 0, ofRecord ?? '')} and ${state}`;
  throw new ServiceError(
    'CONFLICT',
    `It was imported ${way} before, as ${ownId}, with ${before}, and is ${formatMoney(amountMinor, currency)} and ${status} ` +
      'now: import it that way again; nothing was counted again',
  );
}

/** The name of the other way; undefined for a file of a service that is not read through its API. */
export function otherNameOf(source: MovedTarget['source']): string | undefined {
  if (!isFile(source)) return csvSource(source.title).name;
  return Object.values(SOURCE_FORMS).find(({ title }) => csvSource(title).name === source.name)?.name;
}

function isFile({ name, title }: MovedTarget['source']): boolean {
  return name === csvSource(title).name;
}
