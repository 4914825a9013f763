import { formatCount } from '../../../ui/counted.ts';
import { Part } from '../../../ui/split.tsx';
import { Id } from '../../../ui/values.tsx';
import type { Run } from './import-values.ts';

interface ProblemRowsProps {
  title: string;
  rows: Run['refusedRows'];
  /** The number of all such rows, of which `rows` are the first. */
  total: number;
}

/** Where each row is, and why it was not imported. */
export function ProblemRows({ title, rows, total }: ProblemRowsProps) {
  if (rows.length === 0) return null;
  return (
    <Part title={`${title}: ${formatCount(total)}`}>
      <section aria-label={title} tabIndex={0} className="max-h-72 overflow-y-auto rounded-md border text-sm">
        <ul className="divide-y">
          {rows.map(({ line, kind, id, reason }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of one answer never move
            <li key={index} className="flex flex-col gap-0.5 px-3 py-2 sm:flex-row sm:gap-4">
              <span className="shrink-0 text-muted-foreground tabular-nums sm:w-36">
                {line === null ? kind : `Line ${formatCount(line)}`}
                {id !== null && (
                  <>
                    {' '}
                    <Id>{id}</Id>
                  </>
                )}
              </span>
              <span className="min-w-0 break-words">{reason}</span>
            </li>
          ))}
        </ul>
      </section>
      {total > rows.length && (
        <p className="text-xs text-muted-foreground">
          The first {formatCount(rows.length)}. Fix them, and import again: rows that already exist change nothing.
        </p>
      )}
    </Part>
  );
}
