import { useEffect, useMemo, useState } from 'react';
import { useParams } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { type Filters, useFilters } from '../../data/filters.ts';
import { queryOf } from '../../data/period.ts';
import { useStripe } from '../../data/stripe.ts';
import { useList } from '../../data/use-api.ts';
import { useMayChange } from '../../shell/session.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { DateFilter } from '../../ui/date-filter.tsx';
import { Empty, NothingFound } from '../../ui/empty.tsx';
import { ChoiceFilter, FilterBar } from '../../ui/filter-bar.tsx';
import { Page } from '../../ui/page.tsx';
import { PartnerChip } from '../../ui/partner-chip.tsx';
import { PayoutState } from '../../ui/payout-state.tsx';
import { selectColumn, useSelection } from '../../ui/select-column.tsx';
import { Split } from '../../ui/split.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { ListTotals, sumOfRows } from '../../ui/totals.tsx';
import { Count, MoneyCell, PartnerValue, Time } from '../../ui/values.tsx';
import { optionsOf, PAYOUT_STATES } from '../../ui/words.ts';
import { EndBar, payoutInWords } from './end-bar.tsx';
import { isEmptyPayout } from './is-empty-payout.ts';
import { PayoutDetail } from './payout-detail.tsx';
import { RunDialog } from './run-dialog.tsx';
import { YearTotals } from './year-totals.tsx';

type Payout = Answer<'listPayouts'>['data'][number];

/** While they are being sent: how often, and for how long, the list is read again. */
const NEWS_MS = 2_000;
const FOLLOWED_MS = 60_000;

const FILTERS = ['period', 'status', 'partnerId'] as const;

const idOf = ({ id }: Payout) => id;

export default function Payouts() {
  const { id } = useParams<{ id?: string }>();
  const filters = useFilters(FILTERS);
  const { values, set } = filters;
  const query = queryOf(values);
  const { isFollowed, follow } = useFollowing();
  const list = usePayouts(query, { withEmpty: values.status === 'queued', isFollowed });
  const [isRunning, setRunning] = useState(false);
  const mayChange = useMayChange();
  const selection = useSelection({ rows: list.rows, idOf, list: filters.search });
  const isEnding = mayChange && values.status === 'processing';
  const stripe = useStripe({ enabled: isEnding });
  return (
    <Page
      title="Payouts"
      actions={
        <>
          <YearTotals />
          <CsvLink list="payouts" filters={query} />
          {mayChange && (
            <Button look="primary" onClick={() => setRunning(true)}>
              Run payouts
            </Button>
          )}
        </>
      }
    >
      <Split detail={id === undefined ? null : <PayoutDetail key={id} id={id} back={`/payouts${filters.search}`} />}>
        <div className="flex flex-col gap-3">
          <FilterBar count={filters.count}>
            <DateFilter
              value={values.period}
              onChoose={(value) => set('period', value)}
              what="when a payout began to collect"
            />
            <ChoiceFilter
              label="Status"
              value={values.status}
              onChoose={(value) => set('status', value)}
              options={optionsOf(PAYOUT_STATES)}
            />
            <PartnerChip id={values.partnerId} onRemove={() => set('partnerId', '')} />
          </FilterBar>
          {filters.isFiltered && <ListTotals list={list} nouns={['payout', 'payouts']} sumsOf={sumsByState} />}
          <Table
            label="Payouts"
            columns={
              isEnding
                ? [selectColumn({ selection, list: 'payouts', idOf, nameOf: payoutInWords }), ...columnsOf(filters)]
                : columnsOf(filters)
            }
            rows={list.rows}
            idOf={idOf}
            href={(payout) => `/payouts/${payout.id}${filters.search}`}
            openId={id}
            more={moreOf(list)}
            empty={filters.isFiltered ? <NothingFound onClear={filters.clear} /> : <NoPayouts />}
          />
          {isEnding && <EndBar selection={selection} rows={list.rows} stripe={stripe.connection} onSend={follow} />}
        </div>
      </Split>
      {isRunning && <RunDialog onClose={() => setRunning(false)} />}
    </Page>
  );
}

/** For a while after payouts were sent, the list shows what becomes of them. */
function useFollowing() {
  const [sentAt, setSentAt] = useState(0);
  useEffect(() => {
    if (sentAt === 0) return;
    const timer = setTimeout(() => setSentAt(0), FOLLOWED_MS);
    return () => clearTimeout(timer);
  }, [sentAt]);
  return { isFollowed: sentAt > 0, follow: () => setSentAt(Date.now()) };
}

/** Payouts that collect nothing yet, such as those that follow a run, are shown to readers who ask for their state. */
function usePayouts(query: object, { withEmpty, isFollowed }: { withEmpty: boolean; isFollowed: boolean }) {
  const list = useList('listPayouts', query as never, {}, { refetchInterval: isFollowed && NEWS_MS });
  const { rows } = list;
  const shown = useMemo(() => (withEmpty ? rows : rows?.filter((payout) => !isEmptyPayout(payout))), [rows, withEmpty]);
  return { ...list, rows: shown };
}

/** Separate sums, because a later payout pays what failed. */
function sumsByState(payouts: readonly Payout[]) {
  return Object.entries(PAYOUT_STATES).map(([state, [words]]) => {
    const ofState = payouts.filter(({ status }) => status === state);
    return { words: words.toLowerCase(), amounts: sumOfRows(ofState, ({ amount }) => amount) };
  });
}

function columnsOf({ set }: Filters<(typeof FILTERS)[number]>): Column<Payout>[] {
  return [
    {
      name: 'created',
      label: 'Since',
      under: 'start',
      width: 'w-32',
      render: ({ createdAt }) => <Time iso={createdAt} day />,
    },
    {
      name: 'partner',
      label: 'Partner',
      title: ({ partnerName }) => partnerName,
      render: ({ partnerId, partnerName }) => (
        <PartnerValue id={partnerId} name={partnerName} onFilter={(value) => set('partnerId', value)} />
      ),
    },
    {
      name: 'entries',
      label: 'Entries',
      align: 'right',
      width: 'w-20',
      from: 'lg',
      render: ({ entryCount }) => <Count value={entryCount} />,
    },
    { name: 'paid', label: 'Paid', width: 'w-32', from: 'lg', render: ({ paidAt }) => <Time iso={paidAt} day /> },
    {
      name: 'amount',
      label: 'Amount',
      align: 'right',
      width: 'w-28 min-[22.5rem]:w-33 sm:w-28 @min-[40rem]:w-36',
      render: ({ amount, currency }) => <MoneyCell amount={amount} currency={currency} />,
    },
    {
      name: 'status',
      label: 'Status',
      under: 'end',
      width: 'w-28',
      render: (payout) => <PayoutState payout={payout} />,
    },
  ];
}

function NoPayouts() {
  return (
    <Empty title="No payout yet">
      <p>
        The first commission of a partner starts a payout that collects entries. A run turns what is past its hold into
        payouts to be paid; you pay them, and mark them as paid here.
      </p>
    </Empty>
  );
}
