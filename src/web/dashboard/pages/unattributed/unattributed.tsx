import { useParams } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { useFilters } from '../../data/filters.ts';
import { queryOf } from '../../data/period.ts';
import { useList } from '../../data/use-api.ts';
import { useMayChange } from '../../shell/session.tsx';
import { DateFilter } from '../../ui/date-filter.tsx';
import { Empty, NothingFound } from '../../ui/empty.tsx';
import { ChoiceFilter, FilterBar } from '../../ui/filter-bar.tsx';
import { Page } from '../../ui/page.tsx';
import { selectColumn, useSelection } from '../../ui/select-column.tsx';
import { Split } from '../../ui/split.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { ListTotals, sumOfRows } from '../../ui/totals.tsx';
import { MoneyCell, None, Time } from '../../ui/values.tsx';
import { PROCESSOR_NAMES, PROCESSOR_OPTIONS } from '../../ui/words.ts';
import { AttributeBar, parkedInWords } from './attribute-bar.tsx';
import { ParkedDetail } from './parked-detail.tsx';

type Parked = Answer<'listParkedPayments'>['data'][number];

const FILTERS = ['period', 'processor'] as const;

const idOf = ({ id }: Parked) => id;

export default function Unattributed() {
  const { id } = useParams<{ id?: string }>();
  const filters = useFilters(FILTERS);
  const { values, set, search } = filters;
  const list = useList('listParkedPayments', queryOf(values) as never);
  const selection = useSelection({ rows: list.rows, idOf, list: search });
  const mayChange = useMayChange();
  return (
    <Page title="Unattributed payments">
      <Split detail={id === undefined ? null : <ParkedDetail key={id} id={id} back={`/unattributed${search}`} />}>
        <div className="flex flex-col gap-3">
          <FilterBar count={filters.count}>
            <DateFilter value={values.period} onChoose={(value) => set('period', value)} what="when it was received" />
            <ChoiceFilter
              label="Processor"
              value={values.processor}
              onChoose={(value) => set('processor', value)}
              options={PROCESSOR_OPTIONS}
            />
          </FilterBar>
          {filters.isFiltered && (
            <ListTotals
              list={list}
              nouns={['payment', 'payments']}
              sumsOf={(payments) => [{ words: 'in all', amounts: sumOfRows(payments, ({ amount }) => amount) }]}
            />
          )}
          <Table
            label="Unattributed payments"
            columns={
              mayChange
                ? [selectColumn({ selection, list: 'payments', idOf, nameOf: parkedInWords }), ...COLUMNS]
                : COLUMNS
            }
            rows={list.rows}
            idOf={idOf}
            href={(payment) => `/unattributed/${payment.id}${search}`}
            openId={id}
            more={moreOf(list)}
            empty={filters.isFiltered ? <NothingFound onClear={filters.clear} /> : <NoneWaits />}
          />
          {mayChange && <AttributeBar selection={selection} rows={list.rows} />}
        </div>
      </Split>
    </Page>
  );
}

function nameOf({ name, email, externalIds, processorCustomerId }: Parked['customer']): string | null {
  return name ?? email ?? externalIds[0] ?? processorCustomerId;
}

const COLUMNS: readonly Column<Parked>[] = [
  {
    name: 'time',
    label: 'Paid at',
    under: 'start',
    width: 'w-40',
    render: ({ occurredAt }) => <Time iso={occurredAt} />,
  },
  {
    name: 'customer',
    label: 'Customer',
    title: ({ customer }) => nameOf(customer) ?? 'Unknown',
    render: ({ customer }) => nameOf(customer) ?? <None />,
  },
  {
    name: 'processor',
    label: 'Processor',
    from: 'sm',
    under: 'start',
    width: 'w-36',
    render: ({ processor }) => PROCESSOR_NAMES[processor],
  },
  { name: 'invoice', label: 'Invoice', from: 'lg', render: ({ invoiceId }) => invoiceId ?? <None /> },
  {
    name: 'amount',
    label: 'Amount',
    align: 'right',
    width: 'w-28 @min-[40rem]:w-36',
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
    <Empty title="No payment is waiting">
      <p>
        A payment waits here when it does not say which of your users paid. It is attributed automatically as soon as
        its customer becomes known, or you attribute it by hand.
      </p>
    </Empty>
  );
}
