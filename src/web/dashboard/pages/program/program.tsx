import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { useFilters } from '../../data/filters.ts';
import { useRead } from '../../data/use-api.ts';
import { Loading } from '../../shell/loading.tsx';
import { ProblemPage } from '../../shell/problem.tsx';
import { useMayChange } from '../../shell/session.tsx';
import { Archiving } from '../../ui/archiving.tsx';
import { Empty } from '../../ui/empty.tsx';
import { type Option, Select } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { LinkSettings } from './link-settings.tsx';
import { Origins } from './origins.tsx';
import { PortalAppearance } from './portal-appearance.tsx';
import { ProgramDialog } from './program-dialog.tsx';
import { TermsForm } from './terms-form.tsx';

type Program = Answer<'listPrograms'>['data'][number];

const TABS = [
  ['terms', 'Terms'],
  ['links', 'Links'],
  ['portal', 'Portal'],
  ['origins', 'Embedding'],
] as const;

const PARTS = { terms: TermsForm, links: LinkSettings, portal: PortalAppearance, origins: Origins };

const NO_SUCH_PROGRAM = new Error('There is no program at this address. It may have been deleted.');

const NO_PROGRAM = (
  <Empty title="No program yet">
    <p>A program has the terms under which its partners earn. Partners are enrolled in one.</p>
  </Empty>
);

export default function ProgramPage() {
  const { id } = useParams<{ id?: string }>();
  const { values, set, search } = useFilters(['tab']);
  const { data, error, refetch, isFetching } = useRead('listPrograms', { query: { limit: 100, archived: 'all' } });
  const programs = data?.data ?? [];
  const inUse = programs.filter(({ archivedAt }) => archivedAt === null);
  // an address that names none shows the first; one of a deleted program must not lead to the terms of another
  const program =
    id === undefined ? (inUse.at(-1) ?? programs.at(-1)) : programs.find((candidate) => candidate.id === id);
  const mayChange = useMayChange();
  const [, navigate] = useLocation();
  const [isNew, setNew] = useState(false);
  const tab = TABS.find(([name]) => name === values.tab)?.[0] ?? 'terms';
  return (
    <Page
      title="Program"
      actions={
        mayChange && (
          <Button onClick={() => setNew(true)}>
            <Icon name="plus" /> New program
          </Button>
        )
      }
    >
      {programs.length > 1 && <Programs programs={programs} chosen={program} search={search} />}
      {error && <ProblemPage error={error} retry={refetch} />}
      {data === undefined && !error && <Loading place="" />}
      {data &&
        !program &&
        !isFetching &&
        (programs.length === 0 ? NO_PROGRAM : <ProblemPage error={NO_SUCH_PROGRAM} retry={refetch} />)}
      {program && (
        <>
          <Tabs label="Program" tabs={TABS} chosen={tab} onChoose={(name) => set('tab', name)} />
          <fieldset disabled={!mayChange} className="min-w-0">
            {TABS.map(([name]) => {
              const Part = PARTS[name];
              return (
                <TabPanel key={`${program.id} ${name}`} isChosen={tab === name}>
                  <Part program={program} />
                </TabPanel>
              );
            })}
          </fieldset>
          {mayChange && tab === 'terms' && (
            <Archiving subject="Program" id={program.id} archivedAt={program.archivedAt} back="/program" />
          )}
        </>
      )}
      {isNew && (
        <ProgramDialog onClose={() => setNew(false)} onDone={({ id: created }) => navigate(`/program/${created}`)} />
      )}
    </Page>
  );
}

/** More would push the program itself off a phone's screen. */
const BUTTONS_MAX = 6;

interface ProgramsProps {
  programs: readonly Program[];
  chosen: Program | undefined;
  /** Keeps the tab. */
  search: string;
}

/** The choice between several programs. */
function Programs({ programs, chosen, search }: ProgramsProps) {
  const [, navigate] = useLocation();
  const nameOf = ({ name, archivedAt }: Program) => (archivedAt === null ? name : `${name} (archived)`);
  if (programs.length > BUTTONS_MAX) {
    const options = programs.map((program): Option => [program.id, nameOf(program)]);
    return (
      <div className="max-w-xl">
        <Select
          label="Which program"
          value={chosen?.id ?? ''}
          options={chosen ? options : [['', 'Choose one'], ...options]}
          onText={(id) => navigate(`/program/${id}${search}`)}
        />
      </div>
    );
  }
  return (
    <nav aria-label="Programs" className="flex flex-wrap gap-2 text-sm">
      {programs.map((program) => (
        <Link
          key={program.id}
          href={`/program/${program.id}${search}`}
          aria-current={program === chosen || undefined}
          className="max-w-full rounded-md border px-3 py-1.5 wrap-anywhere hover:bg-muted aria-[current]:border-primary aria-[current]:bg-accent"
        >
          {nameOf(program)}
        </Link>
      ))}
    </nav>
  );
}
