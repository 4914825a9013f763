import { type ReactNode, useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { Chart, type Point } from '../../../parts/chart.tsx';
import { currenciesOf, formatAmount } from '../../../parts/money.ts';
import { DAY_MS, formatUtcDay, formatUtcMonth, utcDay } from '../../../parts/time.ts';
import { Bone } from '../../ui/bone.tsx';
import { formatCount } from '../../ui/counted.ts';
import { STALE } from '../../ui/stale.ts';
import { ChangeMark } from './change-mark.tsx';

type Statistics = Answer<'getStatistics'>;

const COUNTS = [
  ['clicks', 'Clicks'],
  ['leads', 'Leads'],
  ['sales', 'Sales'],
] as const;

const SUMS = [
  ['revenue', 'Revenue'],
  ['commission', 'Commission'],
] as const;

interface ResultsProps {
  statistics: Statistics | undefined;
  /** They are of the period that was chosen before. */
  isStale: boolean;
  /** Shows the figures of each chart as a table, too. */
  hasTables: boolean;
}

/** The figures of the period, each with its chart and the previous period. */
export function Results({ statistics, isStale, hasTables }: ResultsProps) {
  const [chosen, setChosen] = useState<string>();
  const currencies = statistics ? currenciesOf(statistics.totals.revenue, statistics.previous.revenue) : [];
  const currency = chosen ?? currencies[0] ?? 'usd';
  const points = (measure: (interval: Statistics['data'][number]) => number): Point[] =>
    (statistics?.data ?? []).map((interval) => ({ start: interval.start, value: measure(interval) }));
  const isOpenEnded = statistics !== undefined && statistics.to > utcDay(Date.now());
  const formatStart = isMonthly(statistics) ? formatUtcMonth : formatUtcDay;
  return (
    <section
      aria-label="Results"
      aria-busy={statistics === undefined || isStale}
      className={`grid grid-cols-1 items-start gap-4 sm:grid-cols-6 ${isStale ? STALE : ''}`}
    >
      {COUNTS.map(([name, label]) => (
        <Figure
          key={name}
          className="sm:col-span-2"
          label={label}
          total={statistics && formatCount(statistics.totals[name])}
          change={statistics && <ChangeMark now={statistics.totals[name]} before={statistics.previous[name]} />}
          height="min-h-30"
        >
          <Chart
            label={label}
            points={points((interval) => interval[name])}
            format={formatCount}
            formatStart={formatStart}
            isOpenEnded={isOpenEnded}
            hasTable={hasTables}
          />
        </Figure>
      ))}
      {SUMS.map(([name, label]) => {
        const format = (value: number) => formatAmount(value, currency);
        return (
          <Figure
            key={name}
            className="sm:col-span-3"
            label={label}
            aside={
              currencies.length > 1 && (
                <Currencies all={currencies} chosen={currency} onChoose={setChosen} what={label} />
              )
            }
            total={statistics && format(statistics.totals[name][currency] ?? 0)}
            change={
              statistics && (
                <ChangeMark
                  now={statistics.totals[name][currency] ?? 0}
                  before={statistics.previous[name][currency] ?? 0}
                />
              )
            }
            height="min-h-41"
          >
            <Chart
              label={label}
              points={points((interval) => interval[name][currency] ?? 0)}
              format={format}
              formatStart={formatStart}
              isOpenEnded={isOpenEnded}
              hasTable={hasTables}
              height={140}
            />
          </Figure>
        );
      })}
    </section>
  );
}

const WEEK_MS = 7 * DAY_MS;

/** Read from the intervals themselves, because those of the previous period stay until the next ones arrive. */
function isMonthly(statistics: Statistics | undefined): boolean {
  const [first, second] = statistics?.data ?? [];
  return first !== undefined && second !== undefined && Date.parse(second.start) - Date.parse(first.start) > WEEK_MS;
}

interface FigureProps {
  label: string;
  /** Undefined while it loads. */
  total: string | undefined;
  change: ReactNode;
  aside?: ReactNode;
  className: string;
  /** The height of the chart with its captions, also while it loads. */
  height: string;
  children: ReactNode;
}

function Figure({ label, total, change, aside, className, height, children }: FigureProps) {
  return (
    <div className={`flex min-w-0 flex-col rounded-lg border bg-card p-4 ${className}`}>
      <div className="flex min-h-6 flex-wrap items-center justify-between gap-2">
        <h2 className="text-sm text-muted-foreground">{label}</h2>
        {aside}
      </div>
      <p className="mt-0.5 mb-4 flex min-h-8 flex-wrap items-baseline gap-x-2.5 wrap-anywhere">
        {total === undefined ? (
          <Bone className="h-6 w-28" />
        ) : (
          <span className="text-2xl font-semibold tracking-tight tabular-nums">{total}</span>
        )}{' '}
        {change}
      </p>
      <div className={height}>{children}</div>
    </div>
  );
}

interface CurrenciesProps {
  all: readonly string[];
  chosen: string;
  onChoose(currency: string): void;
  what: string;
}

function Currencies({ all, chosen, onChoose, what }: CurrenciesProps) {
  return (
    <select
      aria-label={`Currency of ${what}`}
      value={chosen}
      onChange={(event) => onChoose(event.target.value)}
      className="h-6 rounded border bg-background pr-6 pl-2 text-xs text-muted-foreground"
    >
      {all.map((currency) => (
        <option key={currency} value={currency}>
          {currency.toUpperCase()}
        </option>
      ))}
    </select>
  );
}
