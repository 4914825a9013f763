import { Link } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { currenciesOf } from '../../../parts/money.ts';
import { Money, None } from '../../ui/values.tsx';

type Overview = Answer<'getOverview'>;

const SUMS: readonly [name: keyof Overview['owed'], words: string, hint: string][] = [
  ['held', 'On hold', 'Its hold is not over, or it waits for review'],
  ['available', 'Due', 'The next run pays it, once it reaches the minimum'],
  ['processing', 'To be paid', 'In payouts that a run started'],
  ['paid', 'Paid so far', 'In payouts that were marked as paid'],
];

/** What all partners together are owed. */
export function Owed({ overview }: { overview: Overview }) {
  // the same order in every line
  const currencies = currenciesOf(...SUMS.map(([name]) => overview.owed[name]));
  return (
    <section className="rounded-lg border bg-card p-4">
      <h2 className="text-sm font-semibold">Owed to partners</h2>
      <dl className="mt-3 flex flex-col gap-2.5 text-sm">
        {SUMS.map(([name, words, hint]) => (
          <div key={name} className="flex flex-wrap items-start justify-between gap-x-3">
            <dt className="text-muted-foreground" title={hint}>
              {name === 'processing' ? (
                <Link href="/payouts?status=processing" className="hover:underline">
                  {words}
                </Link>
              ) : (
                words
              )}
            </dt>
            <dd className={`ml-auto flex flex-col items-end ${name === 'available' ? 'font-semibold' : ''}`}>
              <Sums sums={overview.owed[name]} currencies={currencies} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Sums({ sums, currencies }: { sums: Readonly<Record<string, number>>; currencies: readonly string[] }) {
  const shown = currencies.filter((currency) => (sums[currency] ?? 0) !== 0);
  if (shown.length === 0) return <None />;
  return shown.map((currency) => <Money key={currency} amount={sums[currency] ?? 0} currency={currency} />);
}
