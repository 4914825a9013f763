/** @jsxImportSource preact */
import { useState } from 'preact/hooks';
import type { Answers } from './api.ts';
import { Pending, Section } from './pieces.tsx';
import { usePart, usePortal } from './portal.tsx';

type Statistics = Answers['statistics'];
type Count = 'clicks' | 'leads' | 'sales';

const WIDTH = 144;
const HEIGHT = 40;
const GAP = 4;

/** Clicks, sign-ups and sales of a year. */
export function Results() {
  const { words } = usePortal();
  const { data, ...loading } = usePart('statistics');
  return (
    <Section id="results" title={words.results} note={words.lastYear}>
      {data === null ? (
        <Pending {...loading} />
      ) : (
        <>
          <div class="tiles">
            {(['clicks', 'leads', 'sales'] as const).map((count) => (
              <Tile key={count} count={count} statistics={data} hasChart={hasAny(data)} />
            ))}
          </div>
          {data.totals.clicks === 0 ? <p class="foot quiet">{words.noClicks}</p> : null}
        </>
      )}
    </Section>
  );
}

function hasAny({ totals }: Statistics): boolean {
  return totals.clicks + totals.leads + totals.sales > 0;
}

interface TileProps {
  count: Count;
  statistics: Statistics;
  hasChart: boolean;
}

function Tile({ count, statistics: { data, totals }, hasChart }: TileProps) {
  const { words, format } = usePortal();
  return (
    <div class="tile">
      <h3>{words[count]}</h3>
      <p class="figure">{format.number(totals[count])}</p>
      {hasChart ? <Chart count={count} data={data} /> : null}
    </div>
  );
}

/** A bar for each month; the text below describes the month under the pointer, or chosen by keyboard. */
function Chart({ count, data }: { count: Count; data: Statistics['data'] }) {
  const { words, format } = usePortal();
  const [index, setIndex] = useState<number | null>(null);
  const values = data.map((interval) => interval[count]);
  const textOf = (at: number) => `${format.month(data[at]?.start ?? '')}: ${format.number(values[at] ?? 0)}`;
  const last = values.length - 1;
  const range = `${format.shortMonth(data[0]?.start ?? '')} – ${format.shortMonth(data[last]?.start ?? '')}`;
  const pointAt = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    setIndex(Math.min(last, Math.max(0, Math.floor(((event.clientX - left) / width) * values.length))));
  };
  return (
    <>
      <div class="chart" onPointerMove={pointAt} onPointerLeave={() => setIndex(null)}>
        <Bars values={values} marked={index} />
        {/* the single months, for the keyboard and for screen readers */}
        <input
          type="range"
          min={0}
          max={last}
          value={index ?? last}
          aria-label={`${words[count]}, ${words.lastYear}`}
          aria-valuetext={textOf(index ?? last)}
          onInput={(event) => setIndex(Number(event.currentTarget.value))}
          onFocus={() => setIndex(index ?? last)}
          onBlur={() => setIndex(null)}
        />
      </div>
      <p class="quiet caption">{index === null ? range : textOf(index)}</p>
    </>
  );
}

function Bars({ values, marked }: { values: number[]; marked: number | null }) {
  const most = Math.max(...values, 1);
  const step = WIDTH / values.length;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {values.map((value, index) => {
        const height = value === 0 ? 1 : Math.max(3, (value / most) * HEIGHT);
        const className = value === 0 ? 'bar none' : index === marked ? 'bar marked' : 'bar';
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a month is its place
            key={index}
            class={className}
            x={index * step + GAP / 2}
            y={HEIGHT - height}
            width={step - GAP}
            height={height}
          />
        );
      })}
    </svg>
  );
}
