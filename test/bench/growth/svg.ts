/** Small charts that are readable on light and dark pages, without a library. */

export interface Bar {
  label: string;
  value: number;
  /** False draws it as a miss. */
  isOk: boolean | null;
}

export interface BarChart {
  title: string;
  /** With its unit: `p99 in ms`. */
  axis: string;
  bars: readonly Bar[];
  /** A line that bars should not exceed, or should reach. */
  target: { value: number; label: string } | null;
  scale: 'linear' | 'logarithmic';
}

const WIDTH = 760;
const LABEL_WIDTH = 280;
const VALUE_WIDTH = 70;
const BAR_HEIGHT = 16;
const ROW_HEIGHT = 22;
const TOP = 56;
const BOTTOM = 44;
/** A logarithmic axis begins here. */
const LOGARITHMIC_FROM = 0.1;

/** Gray for text, which is readable on light and dark pages; everybody can tell blue and orange apart. */
const STYLE = `text{font:12px system-ui,sans-serif;fill:#6e7781}.title{font-size:14px;font-weight:600}
.ok{fill:#3b82d6}.missed{fill:#d9730d}.grid{stroke:#8c959f;stroke-opacity:.3}.target{stroke:#8250df;stroke-width:1.5;stroke-dasharray:4 3}
@media(prefers-color-scheme:dark){text{fill:#adbac7}}`;

/** An SVG document of horizontal bars. */
export function barChart({ title, axis, bars, target, scale }: BarChart): string {
  const values = [...bars.map(({ value }) => value), target?.value ?? 0];
  const ticks = scale === 'linear' ? linearTicks(Math.max(...values)) : logarithmicTicks(Math.max(...values));
  const last = ticks.at(-1) ?? 1;
  const width = WIDTH - LABEL_WIDTH - VALUE_WIDTH;
  const placeOf = (value: number) => LABEL_WIDTH + width * shareOf(value, last, scale);
  const bottom = TOP + bars.length * ROW_HEIGHT;
  const parts = [
    `<text class="title" x="0" y="18">${escaped(title)}</text>`,
    ...ticks.map((tick) => gridLine(placeOf(tick), bottom, numberText(tick))),
    ...bars.flatMap((bar, row) => barParts(bar, TOP + row * ROW_HEIGHT, placeOf)),
    ...(target === null ? [] : targetParts(placeOf(target.value), bottom, target.label)),
    `<text x="${LABEL_WIDTH + width / 2}" y="${bottom + 36}" text-anchor="middle">${escaped(axis)}</text>`,
  ];
  const height = bottom + BOTTOM;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title><style>${STYLE}</style>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function gridLine(x: number, bottom: number, label: string): string {
  return `<line class="grid" x1="${at(x)}" y1="${TOP - 6}" x2="${at(x)}" y2="${bottom}"/>
<text x="${at(x)}" y="${bottom + 16}" text-anchor="middle">${label}</text>`;
}

function barParts({ label, value, isOk }: Bar, y: number, placeOf: (value: number) => number): string[] {
  const end = placeOf(value);
  const middle = y + BAR_HEIGHT - 4;
  return [
    `<text x="${LABEL_WIDTH - 8}" y="${middle}" text-anchor="end">${escaped(label)}</text>`,
    `<rect class="${isOk === false ? 'missed' : 'ok'}" x="${LABEL_WIDTH}" y="${y}" width="${at(Math.max(1, end - LABEL_WIDTH))}" height="${BAR_HEIGHT}" rx="2"/>`,
    `<text x="${at(end + 6)}" y="${middle}">${numberText(value)}</text>`,
  ];
}

function targetParts(x: number, bottom: number, label: string): string[] {
  return [
    `<line class="target" x1="${at(x)}" y1="${TOP - 12}" x2="${at(x)}" y2="${bottom}"/>`,
    `<text x="${at(x)}" y="${TOP - 18}" text-anchor="middle">${escaped(label)}</text>`,
  ];
}

function shareOf(value: number, last: number, scale: BarChart['scale']): number {
  if (scale === 'linear') return Math.max(0, value) / last;
  const logarithm = (number: number) => Math.log10(Math.max(number, LOGARITHMIC_FROM) / LOGARITHMIC_FROM);
  return logarithm(value) / logarithm(last);
}

/** From 0 in four to eight steps of 1, 2 or 5 times a power of ten. */
function linearTicks(highest: number): number[] {
  const rough = Math.max(highest, 1e-6) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? 10 * power;
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, index) => index * step);
}

function logarithmicTicks(highest: number): number[] {
  const ticks = [LOGARITHMIC_FROM];
  while ((ticks.at(-1) ?? 0) < highest) ticks.push((ticks.at(-1) ?? 0) * 10);
  return ticks;
}

function numberText(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return String(Number(value.toFixed(value >= 10 ? 1 : 2)));
}

function at(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
