import { Link } from 'wouter';
import { useRead } from '../../data/use-api.ts';
import { State } from '../../ui/state.tsx';
import { MoneyCell, PartnerLink, Time } from '../../ui/values.tsx';
import { SALE_STATES } from '../../ui/words.ts';

const SHOWN_MAX = 6;

/** The latest sales and who earned them; nothing before the first sale. */
export function LatestSales() {
  const { data } = useRead('listSales', { query: { limit: SHOWN_MAX } });
  if (data === undefined || data.data.length === 0) return null;
  return (
    <section aria-label="Latest sales" className="min-w-0 rounded-lg border bg-card p-4 sm:col-span-6">
      <div className="flex items-baseline justify-between gap-3">
        <h2 className="text-sm font-semibold">Latest sales</h2>
        <Link href="/sales" className="text-sm text-primary hover:underline">
          All sales
        </Link>
      </div>
      <ul className="mt-2 flex flex-col">
        {data.data.map((sale) => (
          <li
            key={sale.id}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 border-b py-2 text-sm last:border-b-0 last:pb-0 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_5.5rem_minmax(0,7rem)_minmax(0,7rem)]"
          >
            <Link href={`/sales/${sale.id}`} className="truncate font-medium hover:underline">
              {sale.customer.name ?? sale.customer.email ?? sale.customer.externalId ?? 'Guest'}
            </Link>
            <span className="order-last truncate text-muted-foreground sm:order-none">
              <PartnerLink id={sale.partnerId} name={sale.partnerName} />
              <span className="ml-2 text-xs">
                <Time iso={sale.occurredAt} />
              </span>
            </span>
            <span className="hidden sm:block">
              <State of={SALE_STATES} state={sale.status} />
            </span>
            <span className="text-right">
              <MoneyCell amount={sale.amount} currency={sale.currency} />
            </span>
            <span className="order-last text-right text-muted-foreground sm:order-none" title="What the partner earned">
              <MoneyCell amount={sale.commissionAmount - sale.reversedCommissionAmount} currency={sale.currency} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
