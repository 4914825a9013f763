import { Link } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { currenciesOf } from '../../../parts/money.ts';
import { Money, None } from '../../ui/values.tsx';

type Overview = Answer<'getOverview'>;
type Sums = Readonly<Record<string, number>>;

interface Line {
  words: string;
  hint: string;
  sums: Sums;
  isMain?: boolean;
  /** The list of the same payouts. */
  path?: string;
}

function linesOf({ held, available, processing, heldPayouts, paid }: Overview['owed']): Line[] {
  const toBePaid = Object.entries(processing).map(([currency, amount]): [string, number] => [
    currency,
    amount - (heldPayouts[currency] ?? 0),
  ]);
  const unclear = {
    words: 'Unclear',
    hint: 'In payouts of which nobody knows whether they were paid',
    sums: heldPayouts,
    path: '/payouts?status=held',
  };
  return [
    { words: 'On hold', hint: 'Its hold is not over, or it waits for review', sums: held },
    { words: 'Due', hint: 'The next run pays it, once it reaches the minimum', sums: available, isMain: true },
    {
      words: 'To be paid',
      hint: 'In payouts that a run started',
      sums: Object.fromEntries(toBePaid),
      path: '/payouts?status=processing',
    },
    ...(Object.keys(heldPayouts).length > 0 ? [unclear] : []),
    { words: 'Paid so far', hint: 'In payouts that were marked as paid', sums: paid },
  ];
}

/** What all partners together are owed. */
export function Owed({ overview }: { overview: Overview }) {
  const lines = linesOf(overview.owed);
  // the same order in every line
  const currencies = currenciesOf(...lines.map(({ sums }) => sums));
  return (
    <section className="rounded-lg border bg-card p-4" aria-labelledby="owed">
      <h2 id="owed" className="text-sm font-semibold">
        Owed to partners
      </h2>
      <dl className="mt-3 flex flex-col gap-2.5 text-sm">
        {lines.map(({ words, hint, sums, isMain = false, path }) => (
          <div key={words} className="flex flex-wrap items-start justify-between gap-x-3">
            <dt className="text-muted-foreground" title={hint}>
              {path === undefined ? (
                words
              ) : (
                <Link href={path} className="hover:underline">
                  {words}
                </Link>
              )}
            </dt>
            <dd className={`ml-auto flex flex-col items-end ${isMain ? 'font-semibold' : ''}`}>
              <Amounts sums={sums} currencies={currencies} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Amounts({ sums, currencies }: { sums: Sums; currencies: readonly string[] }) {
  const shown = currencies.filter((currency) => (sums[currency] ?? 0) !== 0);
  if (shown.length === 0) return <None />;
  return shown.map((currency) => <Money key={currency} amount={sums[currency] ?? 0} currency={currency} />);
}
