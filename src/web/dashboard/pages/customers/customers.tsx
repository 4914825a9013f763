import { useParams } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { useFilters } from '../../data/filters.ts';
import { queryOf } from '../../data/period.ts';
import { useList } from '../../data/use-api.ts';
import { customerName } from '../../ui/customer-name.ts';
import { DateFilter } from '../../ui/date-filter.tsx';
import { Code, Empty, NothingFound } from '../../ui/empty.tsx';
import { FilterBar, SearchFilter } from '../../ui/filter-bar.tsx';
import { LeadExample } from '../../ui/lead-example.tsx';
import { Page } from '../../ui/page.tsx';
import { Split } from '../../ui/split.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { ListTotals } from '../../ui/totals.tsx';
import { Id, None, PartnerLink, Time } from '../../ui/values.tsx';
import { CustomerDetail } from './customer-detail.tsx';

type Customer = Answer<'listCustomers'>['data'][number];

export default function Customers() {
  const { id } = useParams<{ id?: string }>();
  const externalId = id && decoded(id);
  const filters = useFilters(['search', 'period']);
  const list = useList('listCustomers', queryOf(filters.values));
  const open = list.rows?.find((customer) => customer.externalId === externalId);
  return (
    <Page title="Customers">
      <Split
        detail={
          externalId === undefined ? null : (
            <CustomerDetail key={externalId} externalId={externalId} back={`/customers${filters.search}`} />
          )
        }
      >
        <div className="flex flex-col gap-3">
          <FilterBar
            search={
              <SearchFilter
                label="Your id or e-mail"
                value={filters.values.search}
                onText={(text) => filters.set('search', text)}
              />
            }
            count={filters.count}
          >
            <DateFilter
              value={filters.values.period}
              onChoose={(value) => filters.set('period', value)}
              what="a customer's first lead"
            />
          </FilterBar>
          {filters.isFiltered && <ListTotals list={list} nouns={['customer', 'customers']} />}
          <Table
            label="Customers"
            columns={COLUMNS}
            rows={list.rows}
            idOf={(customer) => customer.id}
            // a guest has no page
            href={({ externalId: own }) =>
              own === null ? undefined : `/customers/${encodeURIComponent(own)}${filters.search}`
            }
            openId={open?.id}
            more={moreOf(list)}
            empty={
              filters.isFiltered ? (
                <NothingFound
                  onClear={filters.clear}
                  searched={filters.values.search && 'Only the beginning of an id or an e-mail address is searched.'}
                />
              ) : (
                <NoCustomers />
              )
            }
          />
        </div>
      </Split>
    </Page>
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // typed by hand
    return text;
  }
}

const COLUMNS: readonly Column<Customer>[] = [
  { name: 'name', label: 'Customer', render: customerName },
  { name: 'email', label: 'E-mail', from: 'sm', render: ({ email }) => email ?? <None /> },
  {
    name: 'externalId',
    label: 'Your id',
    from: 'lg',
    render: ({ externalId }) => (externalId === null ? <None /> : <Id>{externalId}</Id>),
  },
  {
    name: 'partner',
    label: 'Referred by',
    width: 'w-32 sm:w-auto',
    render: ({ partnerId, partnerName }) => <PartnerLink id={partnerId} name={partnerName} isInCell />,
  },
  { name: 'since', label: 'Since', from: 'lg', width: 'w-32', render: ({ createdAt }) => <Time iso={createdAt} day /> },
];

function NoCustomers() {
  return (
    <Empty title="No customer yet">
      <p>
        A customer appears with their first lead. On the pages that links lead to, this script keeps the id of the click
        in the cookie svc_id:
      </p>
      <Code text={`<script src="${location.origin}/script.js" async></script>`} />
      <p>
        When somebody signs up, report it from your server, with the value of that cookie and your own id for the user:
      </p>
      <LeadExample externalId="user_1" />
    </Empty>
  );
}
