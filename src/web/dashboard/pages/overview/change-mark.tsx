import { formatCount } from '../../ui/counted.ts';

const TIMES_MIN = 10;
const TIMES_MAX = 100;

const signed = (percent: number) =>
  new Intl.NumberFormat(undefined, { style: 'percent', signDisplay: 'exceptZero' }).format(percent / 100);

interface ChangeMarkProps {
  now: number;
  before: number;
}

/** The change from the previous period, in percent; nothing when there is nothing, or almost nothing, to compare with. */
export function ChangeMark({ now, before }: ChangeMarkProps) {
  if (before <= 0 || now > before * TIMES_MAX) return null;
  const percent = Math.round(((now - before) / before) * 100);
  // large percentages are harder to read than factors
  const words = now >= before * TIMES_MIN ? `×${formatCount(Math.round(now / before))}` : signed(percent);
  const tone = percent > 0 ? 'text-success' : percent < 0 ? 'text-destructive' : 'text-muted-foreground';
  return (
    <span className={`text-xs tabular-nums ${tone}`} title="Compared with the same number of days before">
      {words}
    </span>
  );
}
