import type { ReactNode } from 'react';

const TONES = {
  neutral: 'bg-secondary text-secondary-foreground',
  good: 'bg-success-surface text-success',
  warn: 'bg-warning-surface text-warning',
  bad: 'bg-danger-surface text-destructive',
  accent: 'bg-accent text-accent-foreground',
} as const;

export type Tone = keyof typeof TONES;

/** A short word about a state. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center rounded px-1.5 py-0.5 text-xs leading-4 font-medium whitespace-nowrap ${TONES[tone]}`}
    >
      {children}
    </span>
  );
}
