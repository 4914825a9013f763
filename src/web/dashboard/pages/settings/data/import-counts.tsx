import { formatCount } from '../../../ui/counted.ts';
import { Figures } from '../../../ui/figures.tsx';
import type { Run } from './import-values.ts';

/** What happened to the rows, by kind if there are several. */
export function ImportCounts({ run }: { run: Run }) {
  if (run.counts === null) return null;
  const { created, changed, unchanged, refused, leftOut } = run.counts;
  const figures = [
    { words: 'new', count: created },
    { words: 'changed', count: changed },
    { words: 'unchanged', count: unchanged },
    { words: 'refused', count: refused, isBad: refused > 0 },
    ...(leftOut > 0 ? [{ words: 'left out', count: leftOut }] : []),
  ];
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Figures figures={figures} />
      {run.byKind.length > 1 && <Kinds run={run} />}
      {run.ignoredColumns.length > 0 && (
        <p className="text-xs break-words text-muted-foreground">Columns not read: {run.ignoredColumns.join(', ')}</p>
      )}
    </div>
  );
}

function Kinds({ run: { byKind } }: { run: Run }) {
  return (
    <table className="w-full text-sm" aria-label="By kind">
      <thead>
        <tr className="text-right text-xs text-muted-foreground *:py-1 *:font-medium">
          <th className="text-left">Kind</th>
          <th>New</th>
          <th>Changed</th>
          <th>Unchanged</th>
          <th>Refused</th>
        </tr>
      </thead>
      <tbody>
        {byKind.map(({ kind, created, changed, unchanged, refused }) => (
          <tr key={kind} className="border-t text-right tabular-nums *:py-1">
            <th scope="row" className="text-left font-normal capitalize">
              {kind}
            </th>
            <td>{formatCount(created)}</td>
            <td>{formatCount(changed)}</td>
            <td>{formatCount(unchanged)}</td>
            <td className={refused > 0 ? 'text-destructive' : ''}>{formatCount(refused)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
