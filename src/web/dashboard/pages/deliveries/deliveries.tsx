import { useState } from 'react';
import { Link, useParams } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { Button, buttonClass } from '../../../parts/button.tsx';
import { type Filters, useFilters } from '../../data/filters.ts';
import { queryOf } from '../../data/period.ts';
import { useList } from '../../data/use-api.ts';
import { useMayChange } from '../../shell/session.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { DateFilter } from '../../ui/date-filter.tsx';
import { Empty, NothingFound } from '../../ui/empty.tsx';
import { ChoiceFilter, FilterBar, FilterChip, FilterValue } from '../../ui/filter-bar.tsx';
import { Page } from '../../ui/page.tsx';
import { selectColumn, useSelection } from '../../ui/select-column.tsx';
import { asSentence } from '../../ui/sentence.ts';
import { Split } from '../../ui/split.tsx';
import { State } from '../../ui/state.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { ListTotals } from '../../ui/totals.tsx';
import { Id, None, Time } from '../../ui/values.tsx';
import { DELIVERY_STATES, OUTCOMES, optionsOf, PROCESSOR_NAMES, PROCESSOR_OPTIONS } from '../../ui/words.ts';
import { DeliveryDetail } from './delivery-detail.tsx';
import { LiveMark, useLiveDeliveries } from './live.tsx';
import { deliveryInWords, RetryBar } from './retry-bar.tsx';
import { WrappingType } from './wrapping-type.tsx';

type Delivery = Answer<'listDeliveries'>['data'][number];

const FILTERS = ['period', 'outcome', 'status', 'processor', 'endpointId', 'saleId'] as const;
type DeliveryFilters = Filters<(typeof FILTERS)[number]>;

const idOf = ({ id }: Delivery) => id;

export default function Deliveries() {
  const { id } = useParams<{ id?: string }>();
  const filters = useFilters(FILTERS);
  const query = queryOf(filters.values);
  const list = useList('listDeliveries', query as never);
  const selection = useSelection({ rows: list.rows, idOf, list: filters.search });
  const { status } = filters.values;
  const isRetrying = useMayChange() && (status === 'failed' || status === 'dead');
  const [isPaused, setPaused] = useState(false);
  const state = useLiveDeliveries(!isPaused);
  return (
    <Page
      title="Deliveries"
      actions={
        <>
          <LiveMark state={isPaused ? 'paused' : state} />
          <Button onClick={() => setPaused(!isPaused)}>{isPaused ? 'Resume' : 'Pause'}</Button>
          <CsvLink list="deliveries" filters={query} />
        </>
      }
    >
      <Split
        detail={id === undefined ? null : <DeliveryDetail key={id} id={id} back={`/deliveries${filters.search}`} />}
      >
        <div className="flex flex-col gap-3">
          <DeliveryFilterBar filters={filters} />
          {filters.isFiltered && <ListTotals list={list} nouns={['delivery', 'deliveries']} />}
          <Table
            label="Deliveries"
            columns={
              isRetrying
                ? [
                    selectColumn({ selection, list: 'deliveries', idOf, nameOf: deliveryInWords }),
                    ...columnsOf(filters),
                  ]
                : columnsOf(filters)
            }
            rows={list.rows}
            idOf={idOf}
            href={(delivery) => `/deliveries/${delivery.id}${filters.search}`}
            openId={id}
            more={moreOf(list)}
            empty={filters.isFiltered ? <NothingFound onClear={filters.clear} /> : <NoDeliveries />}
          />
          {isRetrying && <RetryBar selection={selection} rows={list.rows} />}
        </div>
      </Split>
    </Page>
  );
}

function DeliveryFilterBar({ filters: { values, set, count } }: { filters: DeliveryFilters }) {
  const processors = PROCESSOR_OPTIONS.filter(([name]) => name !== 'custom');
  return (
    <FilterBar count={count}>
      <DateFilter value={values.period} onChoose={(value) => set('period', value)} what="when it was received" />
      <ChoiceFilter
        label="Outcome"
        value={values.outcome}
        onChoose={(value) => set('outcome', value)}
        options={optionsOf(OUTCOMES)}
      />
      <ChoiceFilter
        label="Status"
        value={values.status}
        onChoose={(value) => set('status', value)}
        options={optionsOf(DELIVERY_STATES)}
      />
      <ChoiceFilter
        label="Processor"
        value={values.processor}
        onChoose={(value) => set('processor', value)}
        options={processors}
      />
      {values.saleId && <FilterChip label="Sale" value={<Id>{values.saleId}</Id>} onRemove={() => set('saleId', '')} />}
      {values.endpointId && (
        <FilterChip label="Endpoint" value={<Id>{values.endpointId}</Id>} onRemove={() => set('endpointId', '')} />
      )}
    </FilterBar>
  );
}

function columnsOf({ set }: DeliveryFilters): Column<Delivery>[] {
  return [
    {
      name: 'time',
      label: 'Received',
      under: 'start',
      width: 'w-40',
      render: ({ receivedAt }) => <Time iso={receivedAt} />,
    },
    {
      name: 'processor',
      label: 'Processor',
      from: 'lg',
      under: 'start',
      width: 'w-36',
      render: ({ processor }) => (
        <FilterValue label="Only this processor" onFilter={() => set('processor', processor)}>
          {PROCESSOR_NAMES[processor]}
        </FilterValue>
      ),
    },
    {
      name: 'type',
      label: 'Event',
      title: ({ eventType }) => <EventType>{eventType ?? 'Unknown event'}</EventType>,
      render: ({ eventType }) => (eventType === null ? <None /> : <EventType>{eventType}</EventType>),
    },
    {
      name: 'outcome',
      label: 'Outcome',
      width: 'w-28',
      render: ({ outcome }) => (
        <FilterValue label="Only this outcome" onFilter={() => set('outcome', outcome)}>
          <State of={OUTCOMES} state={outcome} />
        </FilterValue>
      ),
    },
    { name: 'reason', label: 'Reason', from: 'xl', render: ({ reason }) => (reason ? asSentence(reason) : <None />) },
    {
      name: 'status',
      label: 'Status',
      width: 'w-28',
      from: 'xl',
      render: ({ status }) => <State of={DELIVERY_STATES} state={status} />,
    },
  ];
}

function EventType({ children: type }: { children: string }) {
  return (
    <span className="font-mono text-xs">
      <WrappingType>{type}</WrappingType>
    </span>
  );
}

function NoDeliveries() {
  return (
    <Empty title="No delivery yet">
      <p>
        A delivery is one webhook request from your payment processor. Connect a processor, then pay something in its
        test mode: the delivery appears here automatically.
      </p>
      <Link href="/connections" className={buttonClass('primary')}>
        Connect a processor
      </Link>
    </Empty>
  );
}
