import { Link } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { Icon } from '../../../parts/icons.tsx';
import { formatAmount, largestFirst } from '../../../parts/money.ts';
import { formatCount } from '../../ui/counted.ts';

type Overview = Answer<'getOverview'>;

const PLACES: readonly [name: keyof Overview['attention'], one: string, many: string, path: string][] = [
  ['deadDeliveries', 'delivery given up', 'deliveries given up', '/deliveries?status=dead'],
  ['failedDeliveries', 'delivery being retried', 'deliveries being retried', '/deliveries?status=failed'],
  ['parkedPayments', 'unattributed payment', 'unattributed payments', '/unattributed'],
  ['flaggedSales', 'sale to review', 'sales to review', '/sales?review=flagged'],
  ['processingPayouts', 'payout to be paid', 'payouts to be paid', '/payouts?status=processing'],
  ['heldPayouts', 'unclear payout', 'unclear payouts', '/payouts?status=held'],
  ['openDisputes', 'open dispute', 'open disputes', '/sales?status=disputed'],
];

/** What needs somebody's action, each with the place to act. */
export function Attention({ overview }: { overview: Overview }) {
  const open = PLACES.filter(([name]) => overview.attention[name].count > 0);
  const payouts = largestFirst(overview.payouts);
  return (
    <section className="rounded-lg border bg-card p-4">
      <h2 className="text-sm font-semibold">Needs attention</h2>
      {open.length === 0 && payouts.length === 0 && (
        <p className="mt-2 flex items-center gap-2 text-sm text-muted-foreground">
          <Icon name="check" className="size-4 text-success" /> Nothing. All is in order.
        </p>
      )}
      <ul className="mt-2 flex flex-col empty:hidden">
        {open.map(([name, one, many, path]) => {
          const { count, isMore } = overview.attention[name];
          return (
            <Item key={name} path={path} figure={`${formatCount(count)}${isMore ? '+' : ''}`}>
              {count === 1 ? one : many}
            </Item>
          );
        })}
        {payouts.map(({ currency, count, amount }) => (
          <Item key={currency} path="/payouts" figure={formatCount(count)}>
            {count === 1 ? 'payout' : 'payouts'} ready: {formatAmount(amount, currency)}
          </Item>
        ))}
      </ul>
    </section>
  );
}

function Item({ path, figure, children }: { path: string; figure: string; children: React.ReactNode }) {
  return (
    <li>
      <Link href={path} className="-mx-2 flex items-baseline gap-2 rounded-md px-2 py-1.5 text-sm hover:bg-muted">
        <span className="min-w-6 font-semibold tabular-nums">{figure}</span>
        <span className="min-w-0 flex-1 wrap-anywhere text-muted-foreground">{children}</span>
        <Icon name="arrow" className="size-3.5 self-center text-muted-foreground" />
      </Link>
    </li>
  );
}
