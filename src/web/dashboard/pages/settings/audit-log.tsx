import type { Answer } from '../../../parts/api.ts';
import { useFilters } from '../../data/filters.ts';
import { useList } from '../../data/use-api.ts';
import { Empty, NothingFound } from '../../ui/empty.tsx';
import { FilterBar, FilterChip, FilterValue } from '../../ui/filter-bar.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { Id, Time } from '../../ui/values.tsx';

type Entry = Answer<'listAuditLog'>['data'][number];

const FILTERS = ['operatorId', 'resourceId', 'action'] as const;
const LABELS = { operatorId: 'By', resourceId: 'What', action: 'Action' } as const;

/** Who changed what, and when. */
export function AuditLog() {
  const { values, set, isFiltered } = useFilters(FILTERS);
  const clear = () => {
    for (const name of FILTERS) set(name, '');
  };
  const list = useList('listAuditLog', values);
  const columns: Column<Entry>[] = [
    { name: 'time', label: 'Time', width: 'w-40 sm:w-44', render: ({ createdAt }) => <Time iso={createdAt} /> },
    {
      name: 'actor',
      label: 'By',
      width: 'w-36',
      from: 'sm',
      render: ({ actor }) => (
        <FilterValue label="Only what they did" onFilter={() => set('operatorId', actor.id)}>
          {actor.name}
        </FilterValue>
      ),
    },
    {
      name: 'action',
      label: 'Action',
      width: 'w-44',
      render: ({ action }) => (
        <FilterValue label="Only this action" onFilter={() => set('action', action)}>
          <Id>{action}</Id>
        </FilterValue>
      ),
    },
    {
      name: 'resource',
      label: 'What',
      width: 'w-44',
      from: 'xl',
      render: ({ resourceId }) => (
        <FilterValue label="Only this one" onFilter={() => set('resourceId', resourceId)}>
          <Id>{resourceId}</Id>
        </FilterValue>
      ),
    },
    { name: 'changes', label: 'Changes', from: 'lg', render: ({ changes }) => <Changes changes={changes} /> },
  ];
  return (
    <div className="flex flex-col gap-3">
      {isFiltered && (
        <FilterBar>
          {FILTERS.filter((name) => values[name]).map((name) => (
            <FilterChip key={name} label={LABELS[name]} value={values[name]} onRemove={() => set(name, '')} />
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
            <Empty title="Nothing was changed yet">
              <p>Every change by an operator or an API key is written here, and stays.</p>
            </Empty>
          )
        }
      />
    </div>
  );
}

function Changes({ changes }: { changes: Entry['changes'] }) {
  const words = Object.entries(changes).map(
    ([name, { before, after }]) => `${name}: ${short(before)} → ${short(after)}`,
  );
  return (
    <span className="text-xs text-muted-foreground" title={words.join('\n')}>
      {words.join(' · ')}
    </span>
  );
}

function short(value: unknown): string {
  return value === null || value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
}
