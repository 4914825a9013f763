import { useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { useFilters } from '../../data/filters.ts';
import { useList } from '../../data/use-api.ts';
import { ActorName } from '../../ui/actor-name.tsx';
import { Empty, NothingFound } from '../../ui/empty.tsx';
import { FilterBar, FilterChip, FilterValue } from '../../ui/filter-bar.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { Id, ShortId, Time } from '../../ui/values.tsx';
import { ChangesDialog, ChangesLine } from './changes.tsx';

type Entry = Answer<'listAuditLog'>['data'][number];

const FILTERS = ['operatorId', 'resourceId', 'action'] as const;
const LABELS = { operatorId: 'By', resourceId: 'What', action: 'Action' } as const;

/** Who changed what, and when. */
export function AuditLog() {
  const { values, set, clear, isFiltered } = useFilters(FILTERS);
  const [opened, setOpened] = useState<Entry | null>(null);
  const list = useList('listAuditLog', values);
  const actionValue = ({ action }: Entry) => (
    <FilterValue label="Only this action" onFilter={() => set('action', action)}>
      <Id>{action}</Id>
    </FilterValue>
  );
  const columns: Column<Entry>[] = [
    { name: 'time', label: 'Time', under: 'end', width: 'w-40', render: ({ createdAt }) => <Time iso={createdAt} /> },
    {
      name: 'actor',
      label: 'By',
      width: 'w-44',
      render: ({ actor }) => (
        <FilterValue label="Only what they did" onFilter={() => set('operatorId', actor.id)}>
          {whoOf(actor)}
        </FilterValue>
      ),
    },
    {
      name: 'action',
      label: 'Action',
      width: 'w-52',
      title: (entry) => actionValue(entry),
      render: (entry) => actionValue(entry),
    },
    {
      name: 'resource',
      label: 'What',
      width: 'w-44',
      from: 'xl',
      render: ({ resourceId }) => (
        <FilterValue label="Only this one" onFilter={() => set('resourceId', resourceId)}>
          <ShortId>{resourceId}</ShortId>
        </FilterValue>
      ),
    },
    {
      name: 'changes',
      label: 'Changes',
      under: 'start',
      render: (entry) => <ChangesLine entry={entry} onOpen={() => setOpened(entry)} />,
    },
  ];
  return (
    <div className="flex flex-col gap-3">
      {isFiltered && (
        <FilterBar>
          {FILTERS.filter((name) => values[name]).map((name) => (
            <FilterChip
              key={name}
              label={LABELS[name]}
              value={name === 'operatorId' ? <ActorName id={values[name] ?? ''} /> : values[name]}
              onRemove={() => set(name, '')}
            />
          ))}
        </FilterBar>
      )}
      <Table
        label="Audit log"
        columns={columns}
        rows={list.rows}
        idOf={(entry) => entry.id}
        more={moreOf(list)}
        empty={
          isFiltered ? (
            <NothingFound onClear={clear} />
          ) : (
            <Empty title="Nothing has been changed yet">
              <p>Every change by an operator, an API key or a command is recorded here permanently.</p>
            </Empty>
          )
        }
      />
      {opened && <ChangesDialog entry={opened} onClose={() => setOpened(null)} />}
    </div>
  );
}

function whoOf({ type, name }: Entry['actor']): string {
  if (type === 'command_line') return `${name}, command line`;
  return type === 'partner' ? `${name}, partner` : name;
}
