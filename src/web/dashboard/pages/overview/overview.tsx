import { useEffect, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { useFilters } from '../../data/filters.ts';
import { useRead } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { Bone } from '../../ui/bone.tsx';
import { Page } from '../../ui/page.tsx';
import { SteadyWords } from '../../ui/steady-words.tsx';
import { Attention } from './attention.tsx';
import { Checklist } from './checklist.tsx';
import { LatestSales } from './latest-sales.tsx';
import { Owed } from './owed.tsx';
import { PERIODS, periodOf } from './periods.ts';
import { Results } from './results.tsx';

/** After this long, the page shows what has already arrived. */
const LATE_MS = 1_000;

export default function Overview() {
  const { values, set } = useFilters(['period', 'figures']);
  const period = PERIODS.find(([name]) => name === values.period)?.[0] ?? '30d';
  const hasTables = values.figures === 'tables';
  const overview = useRead('getOverview', {});
  const statistics = useRead('getStatistics', { query: periodOf(period, Date.now()) });
  const error = overview.error ?? statistics.error;
  const isLate = useLate(LATE_MS);
  // the remaining setup stands above everything, and must not push it down later: an account without results has some
  const isShown = overview.data !== undefined || error !== null || (isLate && statistics.data !== undefined);
  const isEmpty = statistics.data?.totals.clicks === 0 && statistics.data.totals.sales === 0;
  return (
    <Page
      title="Overview"
      actions={
        <>
          <Button
            aria-label="Charts as tables"
            title="Charts as tables"
            aria-pressed={hasTables}
            className="size-9 px-0 aria-pressed:bg-accent aria-pressed:text-accent-foreground"
            onClick={() => set('figures', hasTables ? '' : 'tables')}
          >
            <Icon name="table" />
          </Button>
          <fieldset className="flex items-center rounded-md border border-input p-0.5 text-center text-[0.6875rem] whitespace-nowrap max-sm:w-full max-[16rem]:flex-wrap min-[23rem]:text-xs sm:text-sm">
            <legend className="sr-only">Period</legend>
            {PERIODS.map(([name, words]) => (
              <label
                key={name}
                className="cursor-pointer rounded-sm px-0.5 py-1.5 max-sm:flex-auto min-[23rem]:px-1 sm:px-2.5 sm:py-1 text-muted-foreground has-checked:bg-accent has-checked:font-medium has-checked:text-accent-foreground has-focus-visible:outline-2 has-focus-visible:outline-ring"
              >
                <input
                  type="radio"
                  name="period"
                  className="sr-only"
                  checked={period === name}
                  onChange={() => set('period', name)}
                />
                <SteadyWords>{words}</SteadyWords>
              </label>
            ))}
          </fieldset>
        </>
      }
    >
      {error && <ProblemPage error={error} retry={() => Promise.all([overview.refetch(), statistics.refetch()])} />}
      {!isShown && isLate && <p className="text-sm text-muted-foreground">Loading…</p>}
      {overview.data && <Checklist setup={overview.data.setup} />}
      {overview.isPending && isShown && isEmpty && <Place height="h-80 sm:h-48 xl:h-30" />}
      <div
        className={`${isShown ? 'grid' : 'hidden'} grid-cols-1 items-start gap-5 xl:grid-cols-[minmax(0,1fr)_18rem]`}
      >
        {/* what is stuck, and what is owed, is read first; on a wide screen, it stands beside the rest */}
        <div className="grid grid-cols-1 gap-5 sm:grid-cols-2 xl:order-last xl:grid-cols-1">
          {overview.data && <Attention overview={overview.data} />}
          {overview.data && <Owed overview={overview.data} />}
          {overview.isPending && <Places />}
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          {(statistics.data || !statistics.error) && (
            <Results statistics={statistics.data} isStale={statistics.isPlaceholderData} hasTables={hasTables} />
          )}
          <LatestSales />
        </div>
      </div>
    </Page>
  );
}

/** Where the cards of a late overview will be, about as tall as usual: on a small screen, the charts are below. */
function Places() {
  return ['h-40', 'h-44'].map((height) => <Place key={height} height={height} />);
}

function Place({ height }: { height: string }) {
  return (
    <div className={`${height} rounded-lg border bg-card p-4`}>
      <Bone className="h-4 w-1/2" />
    </div>
  );
}

/** True once this much time has passed. */
function useLate(afterMs: number): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), afterMs);
    return () => clearTimeout(timer);
  }, [afterMs]);
  return isLate;
}
