import { Link } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { useRead } from '../../data/use-api.ts';
import { customerName } from '../../ui/customer-name.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { MoneyCell, PartnerLink, Time } from '../../ui/values.tsx';
import { SaleState } from '../sales/sale-state.tsx';

type Sale = Answer<'listSales'>['data'][number];

const SHOWN_MAX = 6;

/** The latest sales and who earned them; nothing before the first sale. */
export function LatestSales() {
  const { data } = useRead('listSales', { query: { limit: SHOWN_MAX } });
  if (data === undefined || data.data.length === 0) return null;
  return (
    <section aria-label="Latest sales" className="flex min-w-0 flex-col gap-3">
      <div className="flex items-baseline justify-between gap-3">
        <h2 className="text-sm font-semibold">Latest sales</h2>
        <Link href="/sales" className="text-sm text-primary hover:underline">
          All sales
        </Link>
      </div>
      <Table
        label="Latest sales"
        columns={COLUMNS}
        rows={data.data}
        idOf={({ id }) => id}
        href={({ id }) => `/sales/${id}`}
        empty={null}
      />
    </section>
  );
}

const COLUMNS: readonly Column<Sale>[] = [
  {
    name: 'customer',
    label: 'Customer',
    render: ({ customer }) => customerName(customer),
  },
  {
    name: 'time',
    label: 'Time',
    from: 'lg',
    under: 'start',
    width: 'w-40',
    render: ({ occurredAt }) => <Time iso={occurredAt} />,
  },
  {
    name: 'partner',
    label: 'Partner',
    under: 'start',
    render: ({ partnerId, partnerName }) => <PartnerLink id={partnerId} name={partnerName} isInCell />,
  },
  {
    name: 'amount',
    label: 'Amount',
    align: 'right',
    width: 'w-28 min-[22.5rem]:w-33 sm:w-28 @min-[44rem]:w-36',
    render: ({ amount, currency }) => <MoneyCell amount={amount} currency={currency} />,
  },
  {
    name: 'commission',
    label: 'Commission',
    align: 'right',
    width: 'w-28 @min-[44rem]:w-36',
    from: 'sm',
    render: ({ commissionAmount, reversedCommissionAmount, currency }) => (
      <MoneyCell amount={commissionAmount - reversedCommissionAmount} currency={currency} />
    ),
  },
  {
    name: 'status',
    label: 'Status',
    under: 'end',
    width: 'w-28',
    render: (sale) => <SaleState sale={sale} />,
  },
];
