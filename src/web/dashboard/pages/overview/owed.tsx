import type { Answer } from '../../../parts/api.ts';
import { MoneyList } from '../../ui/values.tsx';

type Overview = Answer<'getOverview'>;

const SUMS: readonly [name: keyof Overview['owed'], words: string, hint: string][] = [
  ['held', 'On hold', 'Its hold is not over, or a review waits'],
  ['available', 'Due', 'The next run pays it, once it reaches the minimum'],
  ['processing', 'To be paid', 'In payouts that a run started'],
  ['paid', 'Paid so far', 'In payouts that were marked as paid'],
];

/** What all partners are owed. */
export function Owed({ overview }: { overview: Overview | undefined }) {
  return (
    <section className="rounded-lg border bg-card p-4">
      <h2 className="text-sm font-semibold">Owed to partners</h2>
      <dl className="mt-3 flex flex-col gap-2.5 text-sm">
        {SUMS.map(([name, words, hint]) => (
          <div key={name} className="flex items-start justify-between gap-3">
            <dt className="text-muted-foreground" title={hint}>
              {words}
            </dt>
            <dd className={name === 'available' ? 'font-semibold' : ''}>
              {overview ? <MoneyList amounts={withoutZeros(overview.owed[name])} /> : '…'}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function withoutZeros(amounts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== 0));
}
