import type { ReactNode } from 'react';
import { Icon } from '../../../parts/icons.tsx';

interface StepProps {
  number: number;
  title: string;
  isDone: boolean;
  children: ReactNode;
}

/** One step of a setup: numbered, or ticked when it is done. */
export function Step({ number, title, isDone, children }: StepProps) {
  return (
    <li className="flex gap-3">
      <span
        className={`grid size-6 shrink-0 place-items-center rounded-full text-xs font-semibold ${isDone ? 'bg-success-surface text-success' : 'bg-secondary text-muted-foreground'}`}
      >
        {isDone ? <Icon name="check" className="size-3.5" /> : number}
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <h3 className="pt-0.5 text-sm font-medium">
          {title}
          {isDone && <span className="sr-only">, done</span>}
        </h3>
        {children}
      </div>
    </li>
  );
}
