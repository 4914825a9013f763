import type { Answer } from '../../../parts/api.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/split.tsx';
import { CopyId, None } from '../../ui/values.tsx';

type Entry = Answer<'listAuditLog'>['data'][number];
type Change = readonly [name: string, change: Entry['changes'][string]];

/** Without the resource's own id, which is shown beside it. */
function changesOf({ resourceId, changes }: Entry): Change[] {
  return Object.entries(changes).filter(([, { after }]) => after !== resourceId);
}

/** The changes in one line, which opens all of them. */
export function ChangesLine({ entry, onOpen }: { entry: Entry; onOpen(): void }) {
  const changes = changesOf(entry);
  if (changes.length === 0) return <None />;
  return (
    <button
      type="button"
      onClick={onOpen}
      className="max-w-full truncate rounded text-left text-xs text-muted-foreground decoration-dotted underline-offset-4 hover:underline"
    >
      {changes
        .map(([name, { before, after }]) =>
          isNone(before) ? `${name}: ${words(after)}` : `${name}: ${words(before)} → ${words(after)}`,
        )
        .join(' · ')}
    </button>
  );
}

export function ChangesDialog({ entry, onClose }: { entry: Entry; onClose(): void }) {
  return (
    <Dialog title={entry.action} onClose={onClose} className="max-w-xl">
      <div className="flex flex-col gap-3 text-sm">
        <CopyId>{entry.resourceId}</CopyId>
        <Facts
          items={changesOf(entry).map(([name, { before, after }]) => [
            name,
            isNone(before) ? (
              words(after)
            ) : (
              <>
                <del className="text-muted-foreground">{words(before)}</del> → {words(after)}
              </>
            ),
          ])}
        />
      </div>
    </Dialog>
  );
}

function isNone(value: unknown): boolean {
  return value === null || value === undefined;
}

function words(value: unknown): string {
  return isNone(value) ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
}
