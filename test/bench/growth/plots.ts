import { databaseName } from './figures.ts';
import { WRITE_KINDS, type WriteKind } from './requests.ts';
import { type GrowthResults, type SizeResult, TARGETS, type WriteResult } from './results.ts';
import { type BarChart, barChart } from './svg.ts';

export interface Plot {
  /** A file name in docs/images/performance/. */
  file: string;
  title: string;
  svg: string;
}

/** Lists and reports in one chart; the slowest come first. */
const READS_SHOWN = 30;

export function plotsOf({ sizes }: GrowthResults): Plot[] {
  const charts = [
    ...sizes.map(ratioChart),
    pageChart(sizes),
    ...sizes.map(readChart),
    ...sizes.map(waitChart),
    startChart(sizes),
  ].filter((chart) => chart.bars.length > 0);
  return charts.map(({ name, ...chart }) => ({ file: `${name}.svg`, title: chart.title, svg: barChart(chart) }));
}

type NamedChart = BarChart & { name: string };

function fileName(kind: string, size: SizeResult): string {
  return `${kind}-${databaseName(size).replace(' ', '-')}`;
}

/** Empty for the smallest database of an engine, whose ratio to itself is meaningless. */
function ratioChart(size: SizeResult): NamedChart {
  const { writes } = size;
  const barOf = (kind: WriteKind, { ratio, perSecond }: WriteResult) => {
    if (ratio === null) return [];
    return [{ label: `${kind} (${Math.round(perSecond)}/s)`, value: ratio, isOk: ratio >= TARGETS.writeRatio }];
  };
  return {
    name: fileName('writes', size),
    title: `Writes, ${databaseName(size)}`,
    axis: 'requests a second ÷ those of the smallest database',
    bars: writes === null ? [] : WRITE_KINDS.flatMap((kind) => barOf(kind, writes[kind])),
    target: { value: TARGETS.writeRatio, label: `at least ${TARGETS.writeRatio}` },
    scale: 'linear',
  };
}

function pageChart(sizes: readonly SizeResult[]): NamedChart {
  const bars = sizes.flatMap((size) => {
    if (size.pages === null) return [];
    const { warm, cold } = size.pages;
    const name = databaseName(size);
    const inMemory = { label: `${name}, in memory`, value: warm.pagesRead, isOk: null };
    if (cold === null) return [inMemory];
    return [
      inMemory,
      { label: `${name}, from disk`, value: cold.pagesRead, isOk: cold.pagesRead <= TARGETS.pagesCold },
    ];
  });
  const target = { value: TARGETS.pagesCold, label: `at most ${TARGETS.pagesCold}` };
  const axis = 'database pages of 2 KB read per webhook';
  return { name: 'pages', title: 'Pages per webhook', axis, bars, target, scale: 'linear' };
}

function readChart(size: SizeResult): NamedChart {
  const slowest = size.reads.toSorted((a, b) => b.idle.p99Ms - a.idle.p99Ms).slice(0, READS_SHOWN);
  return {
    name: fileName('reads', size),
    title: `The ${slowest.length} slowest lists and reports, ${databaseName(size)}`,
    axis: 'p99 in ms, one connection, logarithmic',
    bars: slowest.map(({ label, idle }) => ({ label, value: idle.p99Ms, isOk: idle.p99Ms <= TARGETS.readP99Ms })),
    target: { value: TARGETS.readP99Ms, label: `at most ${TARGETS.readP99Ms} ms` },
    scale: 'logarithmic',
  };
}

function waitChart(size: SizeResult): NamedChart {
  const longest = Math.max(0, ...size.reads.map(({ waits }) => waits.healthMs));
  const operations = size.operations.flatMap(({ label, waits }) =>
    waits === null ? [] : [{ label, value: waits.healthMs }],
  );
  const reads = size.reads.length === 0 ? [] : [{ label: 'any list or report', value: longest }];
  const bars = [...reads, ...operations];
  return {
    name: fileName('waits', size),
    title: `The longest health check beside these, ${databaseName(size)}`,
    axis: 'ms, logarithmic',
    bars: bars.map((bar) => ({ ...bar, isOk: bar.value <= TARGETS.waitMs })),
    target: { value: TARGETS.waitMs, label: `at most ${TARGETS.waitMs} ms` },
    scale: 'logarithmic',
  };
}

function startChart(sizes: readonly SizeResult[]): NamedChart {
  return {
    name: 'start',
    title: 'Start, until the server is ready',
    axis: 'ms',
    bars: sizes.map((size) => {
      return { label: databaseName(size), value: size.start.readyMs, isOk: size.start.readyMs <= TARGETS.startMs };
    }),
    target: { value: TARGETS.startMs, label: `at most ${TARGETS.startMs} ms` },
    scale: 'linear',
  };
}
