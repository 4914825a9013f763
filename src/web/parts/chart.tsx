import { type KeyboardEvent, type PointerEvent, useId, useState } from 'react';

export interface Point {
  /** The first day of the interval, UTC. */
  start: string;
  value: number;
}

interface ChartProps {
  /** What it counts: `Clicks`. */
  label: string;
  points: readonly Point[];
  format(value: number): string;
  formatStart(start: string): string;
  /** The last interval is not over: a dashed line shows that its point is still growing. */
  isOpenEnded?: boolean;
  /** Shows the same figures as a table, too. */
  hasTable?: boolean;
  /** The height of the SVG, in pixels. */
  height?: number;
}

const WIDTH = 600;
/** Keeps the line inside the picture. */
const MARGIN = 2;

interface Scale {
  /** Where a point and a value are, in pixels of the SVG. */
  x(index: number): number;
  y(value: number): number;
  largest: number;
  smallest: number;
  /** `x y` of each point. */
  places: string[];
}

function scaleOf(points: readonly Point[], height: number): Scale {
  const values = points.map(({ value }) => value);
  const [largest, smallest] = [Math.max(...values, 0), Math.min(...values, 0)];
  const last = points.length - 1;
  const x = (index: number) => (last === 0 ? WIDTH / 2 : (index / last) * WIDTH);
  const y = (value: number) =>
    height - MARGIN - ((value - smallest) / (largest - smallest || 1)) * (height - 2 * MARGIN);
  return { x, y, largest, smallest, places: values.map((value, n) => `${x(n).toFixed(1)} ${y(value).toFixed(1)}`) };
}

/**
 * A line over time: at most 366 points, as SVG, between zero and the largest value. The arrow keys and the pointer
 * select figures, which are announced.
 */
export function Chart({ label, points, format, formatStart, isOpenEnded = false, hasTable, height = 96 }: ChartProps) {
  const [read, setRead] = useState<number | null>(null);
  const last = points.length - 1;
  const point = read === null ? undefined : points[Math.min(read, last)];
  const soFar = (shown: Point) => (isOpenEnded && shown === points[last] ? ' so far' : '');
  const words = (shown: Point) => `${formatStart(shown.start)}: ${format(shown.value)}${soFar(shown)}`;
  const scale = scaleOf(points, height);
  const { x, y, largest, smallest } = scale;

  const onKey = (event: KeyboardEvent) => {
    const at = read ?? last;
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setRead(Math.max(0, Math.min(last, next)));
  };
  const onPoint = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setRead(Math.max(0, Math.min(last, Math.round(((clientX - left) / width) * last))));
  };

  if (points.length === 0) return null;
  return (
    <div className="min-w-0">
      <div
        role="slider"
        tabIndex={0}
        aria-label={`${label} over time`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={read ?? last}
        aria-valuetext={words(point ?? (points[last] as Point))}
        className="relative rounded-sm"
        onKeyDown={onKey}
        onPointerMove={onPoint}
        onPointerLeave={() => setRead(null)}
        onBlur={() => setRead(null)}
      >
        {largest === smallest && (
          <span className="pointer-events-none absolute inset-0 grid place-items-center text-xs text-muted-foreground">
            None in this period
          </span>
        )}
        {largest > 0 && (
          <span
            className="pointer-events-none absolute right-0 bottom-full text-[0.6875rem] leading-4 text-muted-foreground tabular-nums"
            aria-hidden="true"
          >
            {format(largest)}
          </span>
        )}
        <Picture scale={scale} height={height} isOpenEnded={isOpenEnded && last > 0} />
        {point !== undefined && read !== null && (
          <Mark left={`${(x(Math.min(read, last)) / WIDTH) * 100}%`} top={y(point.value)} />
        )}
      </div>
      <div className="mt-1.5 flex h-4 justify-between gap-2 text-xs text-muted-foreground tabular-nums">
        {point === undefined ? (
          <>
            <span dir="auto">{formatStart((points[0] as Point).start)}</span>
            <span dir="auto">{formatStart((points[last] as Point).start)}</span>
          </>
        ) : (
          <span className="mx-auto font-medium text-foreground">{words(point)}</span>
        )}
      </div>
      {hasTable && <Figures label={label} points={points} format={format} formatStart={formatStart} />}
    </div>
  );
}

/** The line over its area, between zero and the largest value. */
function Picture({ scale, height, isOpenEnded }: { scale: Scale; height: number; isOpenEnded: boolean }) {
  const { x, y, largest, smallest, places } = scale;
  const gradient = useId();
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${height}`}
      preserveAspectRatio="none"
      className="block w-full"
      height={height}
      aria-hidden="true"
    >
      <defs>
        <linearGradient id={gradient} x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="var(--chart-1)" stopOpacity="0.22" />
          <stop offset="1" stopColor="var(--chart-1)" stopOpacity="0" />
        </linearGradient>
      </defs>
      {largest > 0 && (
        <path
          d={`M0 ${y(largest)}H${WIDTH}`}
          stroke="var(--border)"
          strokeDasharray="2 3"
          vectorEffect="non-scaling-stroke"
        />
      )}
      <path d={`M0 ${y(0)}H${WIDTH}`} stroke="var(--border)" vectorEffect="non-scaling-stroke" />
      {largest > smallest && (
        <>
          <path d={`${pathOf(places)}L${x(places.length - 1)} ${y(0)}L${x(0)} ${y(0)}Z`} fill={`url(#${gradient})`} />
          <Line places={places} isOpenEnded={isOpenEnded} />
        </>
      )}
    </svg>
  );
}

/** Where the figure is that is being read. */
function Mark({ left, top }: { left: string; top: number }) {
  return (
    <>
      <span className="pointer-events-none absolute inset-y-0 w-px bg-muted-foreground/50" style={{ left }} />
      <span
        className="pointer-events-none absolute size-2 -translate-1/2 rounded-full bg-chart-1 ring-2 ring-card"
        style={{ left, top }}
      />
    </>
  );
}

/** The same figures as a table. */
function Figures({
  label,
  points,
  format,
  formatStart,
}: Pick<ChartProps, 'label' | 'points' | 'format' | 'formatStart'>) {
  return (
    <section className="mt-3 max-h-52 overflow-y-auto border-t text-xs" aria-label={`${label} as a table`} tabIndex={0}>
      <table className="w-full tabular-nums">
        <tbody>
          {points.map((row) => (
            <tr key={row.start} className="border-b last:border-b-0">
              <th scope="row" className="py-1 text-left font-normal text-muted-foreground">
                {formatStart(row.start)}
              </th>
              <td className="py-1 text-right">{format(row.value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function pathOf(places: readonly string[]): string {
  return `M${places.join('L')}`;
}

/** The line through these points; the last step is dashed while its interval is not over. */
function Line({ places, isOpenEnded }: { places: readonly string[]; isOpenEnded: boolean }) {
  const known = isOpenEnded ? places.slice(0, -1) : places;
  const look = {
    fill: 'none',
    stroke: 'var(--chart-1)',
    strokeWidth: '1.75',
    strokeLinejoin: 'round',
    vectorEffect: 'non-scaling-stroke',
  } as const;
  return (
    <>
      <path d={pathOf(known)} {...look} />
      {isOpenEnded && <path d={pathOf(places.slice(-2))} strokeDasharray="3 3" {...look} />}
    </>
  );
}
