import { useFilters } from '../../data/filters.ts';
import { useRead } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { Page } from '../../ui/page.tsx';
import { Attention } from './attention.tsx';
import { Checklist } from './checklist.tsx';
import { Owed } from './owed.tsx';
import { PERIODS, type PeriodName, periodOf } from './periods.ts';
import { Results } from './results.tsx';

export default function Overview() {
  const { values, set } = useFilters(['period']);
  const period = (values.period ?? '30d') as PeriodName;
  const overview = useRead('getOverview', {});
  const statistics = useRead('getStatistics', { query: periodOf(period, Date.now()) });
  const error = overview.error ?? statistics.error;
  return (
    <Page
      title="Overview"
      actions={
        <fieldset className="flex rounded-md border border-input p-0.5 text-sm">
          <legend className="sr-only">Period</legend>
          {PERIODS.map(([name, words]) => (
            <label
              key={name}
              className="cursor-pointer rounded-sm px-2.5 py-1 text-muted-foreground has-checked:bg-accent has-checked:font-medium has-checked:text-accent-foreground has-focus-visible:outline-2 has-focus-visible:outline-ring"
            >
              <input
                type="radio"
                name="period"
                className="sr-only"
                checked={period === name}
                onChange={() => set('period', name)}
              />
              {words}
            </label>
          ))}
        </fieldset>
      }
    >
      {error && <ProblemPage error={error} retry={() => Promise.all([overview.refetch(), statistics.refetch()])} />}
      {overview.data && <Checklist setup={overview.data.setup} />}
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_18rem]">
        <Results statistics={statistics.data} />
        <div className="grid gap-5 sm:grid-cols-2 xl:grid-cols-1">
          <Attention overview={overview.data} />
          <Owed overview={overview.data} />
        </div>
      </div>
    </Page>
  );
}
