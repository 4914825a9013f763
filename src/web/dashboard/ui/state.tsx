import { Badge, type Tone } from '../../parts/badge.tsx';

interface StateProps {
  of: Readonly<Record<string, readonly [words: string, tone: Tone]>>;
  state: string;
}

/** A state as a badge. */
export function State({ of, state }: StateProps) {
  const [words, tone] = of[state] ?? [state, 'neutral'];
  return <Badge tone={tone}>{words}</Badge>;
}
