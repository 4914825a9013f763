import type { Answer } from '../../../../parts/api.ts';
import { counted, formatCount } from '../../../ui/counted.ts';

export type ListedReconciliation = Answer<'listReconciliations'>['data'][number];
/** A reconciliation with what was missing. */
export type Reconciliation = Answer<'getReconciliation'>;

type Counts = ListedReconciliation['counts'];

const MISSING = [
  ['sales', 'sale', 'sales'],
  ['reversals', 'refund or dispute', 'refunds or disputes'],
  ['unattributed', 'payment whose customer is unknown', 'payments whose customer is unknown'],
  ['failed', 'that could not be processed', 'that could not be processed'],
  ['other', 'other', 'others'],
] as const satisfies readonly (readonly [keyof Counts, string, string])[];

/** How many were missing. */
export function missingOf(counts: Counts): number {
  return MISSING.reduce((sum, [kind]) => sum + counts[kind], 0);
}

/** `12 of 1,204 were missing: 9 sales, 1 refund or dispute, 2 others.` A dry run changes nothing: what was missing still is. */
export function resultInWords({
  status,
  dryRun,
  counts,
  notRead,
}: Pick<ListedReconciliation, 'status' | 'dryRun' | 'counts' | 'notRead'>): string {
  const isWhole = status === 'completed';
  if (counts.read === 0)
    return isWhole
      ? `Nothing ${notRead.length === 0 ? 'happened' : 'that could be read happened'} since then.`
      : 'Nothing was read.';
  const missing = missingOf(counts);
  const everything = notRead.length === 0 ? 'Everything' : 'Everything that could be read';
  if (missing === 0) return isWhole ? `${everything} arrived.` : 'Nothing was missing until then.';
  const kinds = MISSING.filter(([kind]) => counts[kind] > 0).map(([kind, one, many]) =>
    counted(counts[kind], one, many),
  );
  const [is, are] = dryRun ? ['is', 'are'] : ['was', 'were'];
  const words = `${formatCount(missing)} of ${formatCount(counts.read)} ${missing === 1 ? is : are} missing: ${kinds.join(', ')}.`;
  return isWhole ? words : `Until then: ${words}`;
}

/** For a list: `12 missing`; null where nothing was found and something may be left. */
export function shortResult({ status, counts }: Pick<ListedReconciliation, 'status' | 'counts'>): string | null {
  const missing = missingOf(counts);
  if (missing > 0) return `${formatCount(missing)} missing`;
  return status === 'completed' ? 'Nothing missing' : null;
}
