interface ChangeMarkProps {
  now: number;
  before: number;
}

/** The change against the period before, in percent; nothing where there is nothing to compare with. */
export function ChangeMark({ now, before }: ChangeMarkProps) {
  if (before <= 0) return null;
  const percent = Math.round(((now - before) / before) * 100);
  const words = percent > 0 ? `+${percent} %` : `${percent} %`.replace('-', '−');
  const tone = percent > 0 ? 'text-success' : percent < 0 ? 'text-destructive' : 'text-muted-foreground';
  return (
    <span className={`text-xs tabular-nums ${tone}`} title="Against as many days before">
      {words}
    </span>
  );
}
