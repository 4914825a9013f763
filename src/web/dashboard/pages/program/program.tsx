import { Link, useParams } from 'wouter';
import { useFilters } from '../../data/filters.ts';
import { useRead } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { useMayChange } from '../../shell/session.tsx';
import { Archiving } from '../../ui/archiving.tsx';
import { Page } from '../../ui/page.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { LinkSettings } from './link-settings.tsx';
import { Origins } from './origins.tsx';
import { PortalAppearance } from './portal-appearance.tsx';
import { TermsForm } from './terms-form.tsx';

const TABS = [
  ['terms', 'Terms'],
  ['links', 'Links'],
  ['portal', 'Portal'],
  ['origins', 'Embedding'],
] as const;

const PARTS = { terms: TermsForm, links: LinkSettings, portal: PortalAppearance, origins: Origins };

export default function ProgramPage() {
  const { id } = useParams<{ id?: string }>();
  const { values, set } = useFilters(['tab']);
  const { data, error, refetch } = useRead('listPrograms', { query: { limit: 100, archived: 'all' } });
  const programs = data?.data ?? [];
  const inUse = programs.filter(({ archivedAt }) => archivedAt === null);
  const program = programs.find((candidate) => candidate.id === id) ?? inUse.at(-1) ?? programs.at(-1);
  const mayChange = useMayChange();
  const tab = values.tab ?? 'terms';
  return (
    <Page title="Program">
      {programs.length > 1 && (
        <nav aria-label="Programs" className="flex flex-wrap gap-2 text-sm">
          {programs.map(({ id: other, name, archivedAt }) => (
            <Link
              key={other}
              href={`/program/${other}`}
              aria-current={other === program?.id || undefined}
              className="rounded-md border px-3 py-1.5 hover:bg-muted aria-[current]:border-primary aria-[current]:bg-accent"
            >
              {name}
              {archivedAt !== null && ' (archived)'}
            </Link>
          ))}
        </nav>
      )}
      {error && <ProblemPage error={error} retry={refetch} />}
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
    </Page>
  );
}
