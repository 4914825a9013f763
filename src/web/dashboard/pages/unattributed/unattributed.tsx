import { useParams } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { useList } from '../../data/use-api.ts';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { Split } from '../../ui/split.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { MoneyCell, None, Time } from '../../ui/values.tsx';
import { PROCESSOR_NAMES } from '../../ui/words.ts';
import { ParkedDetail } from './parked-detail.tsx';

type Parked = Answer<'listParkedPayments'>['data'][number];

export default function Unattributed() {
  const { id } = useParams<{ id?: string }>();
  const list = useList('listParkedPayments', {});
  return (
    <Page title="Unattributed payments">
      <Split detail={id === undefined ? null : <ParkedDetail key={id} id={id} back="/unattributed" />}>
        <Table
          label="Unattributed payments"
          columns={COLUMNS}
          rows={list.rows}
          idOf={(payment) => payment.id}
          href={(payment) => `/unattributed/${payment.id}`}
          openId={id}
          isNarrow={id !== undefined}
          more={moreOf(list)}
          empty={<NoneWaits />}
        />
      </Split>
    </Page>
  );
}

const COLUMNS: readonly Column<Parked>[] = [
  { name: 'time', label: 'Paid at', width: 'sm:w-40', render: ({ occurredAt }) => <Time iso={occurredAt} /> },
  {
    name: 'customer',
    label: 'Customer',
    from: 'sm',
    under: true,
    render: ({ customer }) =>
      customer.name ?? customer.email ?? customer.externalIds[0] ?? customer.processorCustomerId ?? <None />,
  },
  {
    name: 'processor',
    label: 'Processor',
    from: 'sm',
    width: 'w-36',
    render: ({ processor }) => PROCESSOR_NAMES[processor],
  },
  { name: 'invoice', label: 'Invoice', from: 'lg', render: ({ invoiceId }) => invoiceId ?? <None /> },
  {
    name: 'amount',
    label: 'Amount',
    align: 'right',
    width: 'w-28 lg:w-36',
    render: ({ amount, currency }) => <MoneyCell amount={amount} currency={currency} />,
  },
  {
    name: 'expires',
    label: 'Waits until',
    from: 'lg',
    width: 'w-32',
    render: ({ expiresAt }) => <Time iso={expiresAt} day />,
  },
];

function NoneWaits() {
  return (
    <Empty title="Every payment found its place">
      <p>
        A payment waits here when it does not say which of your users paid. It is attributed by itself as soon as its
        customer becomes known, and you can do it by hand.
      </p>
    </Empty>
  );
}
