import { useState } from 'react';
import { Link } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { type Filters, useFilters } from '../../data/filters.ts';
import { queryOf } from '../../data/period.ts';
import { useList } from '../../data/use-api.ts';
import { useMayChange } from '../../shell/session.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { DateFilter } from '../../ui/date-filter.tsx';
import { Empty, NothingFound } from '../../ui/empty.tsx';
import { ChoiceFilter, FilterBar, FilterChip } from '../../ui/filter-bar.tsx';
import { Page } from '../../ui/page.tsx';
import { PartnerChip } from '../../ui/partner-chip.tsx';
import { State } from '../../ui/state.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { Id, MoneyCell, None, PartnerValue, Time } from '../../ui/values.tsx';
import { ENTRY_KINDS, optionsOf } from '../../ui/words.ts';
import { AdjustmentDialog } from './adjustment-dialog.tsx';
import { LedgerTotals } from './ledger-totals.tsx';

type Entry = Answer<'listLedgerEntries'>['data'][number];

const FILTERS = ['period', 'partnerId', 'saleId', 'payoutId', 'kind'] as const;
type LedgerFilters = Filters<(typeof FILTERS)[number]>;

export default function Ledger() {
  const filters = useFilters(FILTERS);
  const { values, set } = filters;
  const query = queryOf(values);
  const list = useList('listLedgerEntries', query as never);
  const [isAdjusting, setAdjusting] = useState(false);
  const mayChange = useMayChange();
  return (
    <Page
      title="Ledger"
      actions={
        <>
          <CsvLink list="ledger" filters={query} />
          {mayChange && (
            <Button onClick={() => setAdjusting(true)}>
              <Icon name="plus" /> Adjustment
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <FilterBar count={filters.count}>
          <DateFilter value={values.period} onChoose={(value) => set('period', value)} what="when it was recorded" />
          <ChoiceFilter
            label="Kind"
            value={values.kind}
            onChoose={(value) => set('kind', value)}
            options={optionsOf(ENTRY_KINDS)}
          />
          <PartnerChip id={values.partnerId} onRemove={() => set('partnerId', '')} />
          {values.saleId && (
            <FilterChip label="Sale" value={<Id>{values.saleId}</Id>} onRemove={() => set('saleId', '')} />
          )}
          {values.payoutId && (
            <FilterChip label="Payout" value={<Id>{values.payoutId}</Id>} onRemove={() => set('payoutId', '')} />
          )}
        </FilterBar>
        {filters.isFiltered && <LedgerTotals values={values} list={list} />}
        <Table
          label="Ledger entries"
          columns={columnsOf(filters)}
          rows={list.rows}
          idOf={(entry) => entry.id}
          more={moreOf(list)}
          empty={filters.isFiltered ? <NothingFound onClear={filters.clear} /> : <NoEntries />}
        />
      </div>
      {isAdjusting && <AdjustmentDialog partnerId={values.partnerId} onClose={() => setAdjusting(false)} />}
    </Page>
  );
}

function columnsOf({ set }: LedgerFilters): Column<Entry>[] {
  const partnerValue = ({ partnerId, partnerName }: Entry) => (
    <PartnerValue id={partnerId} name={partnerName} onFilter={(id) => set('partnerId', id)} />
  );
  return [
    {
      name: 'time',
      label: 'Time',
      under: 'start',
      width: 'w-40',
      render: (entry) => <Time iso={entry.createdAt} />,
    },
    {
      name: 'kind',
      label: 'Kind',
      under: 'end',
      width: 'w-36',
      render: (entry) => <State of={ENTRY_KINDS} state={entry.kind} />,
    },
    {
      name: 'partner',
      label: 'Partner',
      title: (entry) => partnerValue(entry),
      render: (entry) => partnerValue(entry),
    },
    {
      name: 'reason',
      label: 'For',
      from: 'lg',
      under: 'start',
      render: (entry) =>
        entry.saleId === null ? (
          (entry.reason ?? <None />)
        ) : (
          <Link href={`/sales/${entry.saleId}`} className="text-primary hover:underline">
            {entry.reason ?? 'Sale'}
          </Link>
        ),
    },
    { name: 'due', label: 'Due', from: 'lg', width: 'w-32', render: (entry) => <Time iso={entry.availableAt} day /> },
    {
      name: 'payout',
      label: 'Payout',
      from: 'lg',
      width: 'w-24',
      render: (entry) =>
        entry.payoutId === null ? (
          <None />
        ) : (
          <Link href={`/payouts/${entry.payoutId}`} className="text-primary hover:underline">
            Open
          </Link>
        ),
    },
    {
      name: 'amount',
      label: 'Amount',
      align: 'right',
      // wide enough for the kind, which a phone shows below
      width: 'w-33 sm:w-28 @min-[44rem]:w-36',
      render: (entry) => (
        <MoneyCell
          amount={entry.amount}
          currency={entry.currency}
          className={entry.amount < 0 ? 'text-destructive' : ''}
        />
      ),
    },
  ];
}

function NoEntries() {
  return (
    <Empty title="The ledger is empty">
      <p>
        Every sale adds what its partner earned, every refund reverses its share, and a payout collects what is due.
        Entries are never changed: correct a mistake with an adjustment.
      </p>
    </Empty>
  );
}
