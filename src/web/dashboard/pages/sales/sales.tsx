import { Link, useParams } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { type Filters, useFilters } from '../../data/filters.ts';
import { queryOf } from '../../data/period.ts';
import { useList } from '../../data/use-api.ts';
import { useMayChange } from '../../shell/session.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { customerName } from '../../ui/customer-name.ts';
import { DateFilter } from '../../ui/date-filter.tsx';
import { Code, Empty, NothingFound } from '../../ui/empty.tsx';
import { ChoiceFilter, FilterBar, FilterChip, FilterValue, SearchFilter } from '../../ui/filter-bar.tsx';
import { Page } from '../../ui/page.tsx';
import { PartnerChip } from '../../ui/partner-chip.tsx';
import { selectColumn, useSelection } from '../../ui/select-column.tsx';
import { Split } from '../../ui/split.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { MoneyCell, None, PartnerValue, Time } from '../../ui/values.tsx';
import { optionsOf, PROCESSOR_NAMES, PROCESSOR_OPTIONS, REVIEW_STATES, SALE_STATES } from '../../ui/words.ts';
import { ReviewBar, saleInWords } from './review-bar.tsx';
import { SaleDetail } from './sale-detail.tsx';
import { SaleState } from './sale-state.tsx';
import { SaleTotals } from './sale-totals.tsx';

type Sale = Answer<'listSales'>['data'][number];

const FILTERS = ['search', 'period', 'customerExternalId', 'partnerId', 'processor', 'status', 'review'] as const;
type SaleFilters = Filters<(typeof FILTERS)[number]>;

const idOf = ({ id }: Sale) => id;

export default function Sales() {
  const { id } = useParams<{ id?: string }>();
  const filters = useFilters(FILTERS);
  const query = queryOf(filters.values);
  const list = useList('listSales', query as never);
  const selection = useSelection({ rows: list.rows, idOf, list: filters.search });
  const isReviewing = useMayChange() && filters.values.review === 'flagged';
  return (
    <Page title="Sales" actions={<CsvLink list="sales" filters={query} />}>
      <Split detail={id === undefined ? null : <SaleDetail key={id} id={id} back={`/sales${filters.search}`} />}>
        <div className="flex flex-col gap-3">
          <SaleFilterBar filters={filters} />
          {filters.isFiltered && <SaleTotals values={filters.values} list={list} />}
          <Table
            label="Sales"
            columns={
              isReviewing
                ? [selectColumn({ selection, list: 'sales', idOf, nameOf: saleInWords }), ...columnsOf(filters)]
                : columnsOf(filters)
            }
            rows={list.rows}
            idOf={idOf}
            href={(sale) => `/sales/${sale.id}${filters.search}`}
            openId={id}
            more={moreOf(list)}
            empty={
              filters.isFiltered ? (
                <NothingFound
                  onClear={filters.clear}
                  searched={filters.values.search && <WholeOnly search={filters.values.search} />}
                />
              ) : (
                <NoSales />
              )
            }
          />
          {isReviewing && <ReviewBar selection={selection} rows={list.rows} />}
        </div>
      </Split>
    </Page>
  );
}

function SaleFilterBar({ filters: { values, set, count } }: { filters: SaleFilters }) {
  return (
    <FilterBar
      search={
        <SearchFilter
          label="Invoice, customer or e-mail"
          value={values.search}
          onText={(text) => set('search', text)}
        />
      }
      count={count}
    >
      <DateFilter
        value={values.period}
        onChoose={(value) => set('period', value)}
        what="when a sale was recorded here"
      />
      <ChoiceFilter
        label="Status"
        value={values.status}
        onChoose={(value) => set('status', value)}
        options={optionsOf(SALE_STATES)}
      />
      <ChoiceFilter
        label="Processor"
        value={values.processor}
        onChoose={(value) => set('processor', value)}
        options={PROCESSOR_OPTIONS}
      />
      <ChoiceFilter
        label="Review"
        value={values.review}
        onChoose={(value) => set('review', value)}
        options={optionsOf(REVIEW_STATES)}
      />
      {values.customerExternalId && (
        <FilterChip label="Customer" value={values.customerExternalId} onRemove={() => set('customerExternalId', '')} />
      )}
      <PartnerChip id={values.partnerId} onRemove={() => set('partnerId', '')} />
    </FilterBar>
  );
}

function columnsOf({ set }: SaleFilters): Column<Sale>[] {
  return [
    { name: 'time', label: 'Time', under: 'start', width: 'w-40', render: (sale) => <Time iso={sale.occurredAt} /> },
    {
      name: 'customer',
      label: 'Customer',
      title: ({ customer }) => customerName(customer),
      render: ({ customer }) => <CustomerCell customer={customer} onFilter={(id) => set('customerExternalId', id)} />,
    },
    {
      name: 'partner',
      label: 'Partner',
      from: 'sm',
      under: 'start',
      render: ({ partnerId, partnerName }) => (
        <PartnerValue id={partnerId} name={partnerName} onFilter={(value) => set('partnerId', value)} />
      ),
    },
    {
      name: 'processor',
      label: 'Processor',
      from: 'xl',
      width: 'w-36',
      render: ({ paymentProcessor }) => (
        <FilterValue label="Only this processor" onFilter={() => set('processor', paymentProcessor)}>
          {PROCESSOR_NAMES[paymentProcessor]}
        </FilterValue>
      ),
    },
    { name: 'invoice', label: 'Invoice', from: '2xl', render: ({ invoiceId }) => invoiceId ?? <None /> },
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
      from: 'lg',
      width: 'w-36',
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
}

function CustomerCell({ customer, onFilter }: { customer: Sale['customer']; onFilter(id: string): void }) {
  const { externalId } = customer;
  if (externalId === null) return customerName(customer);
  return (
    <FilterValue label="Only this customer" onFilter={() => onFilter(externalId)}>
      {customerName(customer)}
    </FilterValue>
  );
}

/** Where the beginning of an address is enough. */
function WholeOnly({ search }: { search: string }) {
  return (
    <>
      Sales are found by a whole invoice id, customer id or e-mail address.{' '}
      <Link href={`/customers?${new URLSearchParams({ search })}`} className="text-primary underline">
        Search the customers
      </Link>
      , where the beginning is enough.
    </>
  );
}

function NoSales() {
  return (
    <Empty title="No sale yet">
      <p>
        A sale appears when a processor reports a payment of a customer whom a partner referred. Connect a processor
        under Connections, or report payments of your own checkout:
      </p>
      <Code
        text={`curl ${location.origin}/api/track/sale \\\n  -H "Authorization: Bearer $REFBRIDGE_API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{\n    "clickId": "clk_…",\n    "customerExternalId": "user_1",\n    "amount": 4900,\n    "currency": "usd",\n    "invoiceId": "inv_1"\n  }'`}
      />
    </Empty>
  );
}
