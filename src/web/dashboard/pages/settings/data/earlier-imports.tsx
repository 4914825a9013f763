import type { useList } from '../../../data/use-api.ts';
import { counted } from '../../../ui/counted.ts';
import { Part } from '../../../ui/split.tsx';
import { Ago } from '../../../ui/values.tsx';
import { StatusBadge, sourceWords } from './import-words.tsx';

const SHOWN_MAX = 8;

interface EarlierImportsProps {
  list: ReturnType<typeof useList<'listImports'>>;
  openId: string | null;
  onOpen(id: string): void;
}

/** The latest imports; a click opens a report. */
export function EarlierImports({ list, openId, onOpen }: EarlierImportsProps) {
  const earlier = (list.rows ?? []).filter(({ id }) => id !== openId).slice(0, SHOWN_MAX);
  if (earlier.length === 0) return null;
  return (
    <Part title="Earlier">
      <ul className="divide-y rounded-md border text-sm">
        {earlier.map((run) => (
          <li key={run.id}>
            <button
              type="button"
              onClick={() => onOpen(run.id)}
              className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-left hover:bg-secondary"
            >
              <span className="min-w-0 flex-1 basis-40 truncate">{sourceWords(run)}</span>
              <StatusBadge run={run} />
              <span className="text-xs text-muted-foreground tabular-nums sm:w-20 sm:text-right">
                {counted(run.progress?.rows ?? 0, 'row')}
              </span>
              <span className="text-xs text-muted-foreground sm:w-28 sm:text-right">
                <Ago iso={run.createdAt} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Part>
  );
}
