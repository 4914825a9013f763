import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';

interface EmptyProps {
  title: string;
  children?: ReactNode;
}

/** Replaces a list without rows, and says what to do first. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div className="flex flex-col items-start gap-3 rounded-lg border border-dashed px-5 py-8 text-sm sm:px-8">
      <p className="font-medium">{title}</p>
      {children && (
        <div className="flex max-w-2xl min-w-0 flex-col items-start gap-3 text-muted-foreground">{children}</div>
      )}
    </div>
  );
}

interface NothingFoundProps {
  onClear(): void;
  /** What the search looks at, when something is searched. */
  searched?: ReactNode;
}

/** Nothing matches the filters, although the list is not empty. */
export function NothingFound({ onClear, searched }: NothingFoundProps) {
  return (
    <Empty title="Nothing matches these filters">
      {searched && <p>{searched}</p>}
      <Button size="small" onClick={onClear}>
        Show everything
      </Button>
    </Empty>
  );
}

/** A command or a field to copy. */
export function Code({ text, label = 'Copy' }: { text: string; label?: string }) {
  return (
    <div className="flex w-full min-w-0 items-start gap-2 rounded-md border bg-muted p-1 pl-3">
      <pre className="min-w-0 flex-1 py-2 font-mono text-xs wrap-anywhere whitespace-pre-wrap text-foreground">
        {text}
      </pre>
      <CopyButton text={text} label={label} short />
    </div>
  );
}
