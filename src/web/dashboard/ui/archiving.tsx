import { useLocation } from 'wouter';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { useChange } from '../data/use-api.ts';
import { ConfirmButton } from './confirm-button.tsx';
import { Time } from './values.tsx';

type Subject = 'Link' | 'Partner' | 'Program';

/** What archiving means, shown beforehand. */
const MEANING: Record<Subject, string> = {
  Link: 'Once it is archived, the link is dead for visitors, and its key stays taken. Its customers still earn commission.',
  Partner:
    'For a partner who has left: once archived, their links are dead and new payments earn nothing. What they are owed ' +
    'is still paid.',
  Program:
    'Once it is archived, it takes no new partners or links, its links are dead and new payments earn nothing. What is ' +
    'owed is still paid.',
};

interface ArchivingProps {
  subject: Subject;
  id: string;
  archivedAt: string | null;
  /** Where to go after the deletion. */
  back: string;
}

/** Archives, unarchives, or deletes a resource without history; if it has history, the server says so. */
export function Archiving({ subject, id, archivedAt, back }: ArchivingProps) {
  const [, navigate] = useLocation();
  const archive = useChange(`archive${subject}`, { done: 'Archived' });
  const unarchive = useChange(`unarchive${subject}`, { done: 'Restored' });
  const remove = useChange(`delete${subject}`, { done: 'Deleted', onDone: () => navigate(back) });
  const input = { parameters: { id } };
  return (
    <section aria-label="Archive or delete" className="flex flex-col gap-2 border-t pt-3 print:hidden">
      <p className="text-sm text-muted-foreground">
        {archivedAt === null ? (
          MEANING[subject]
        ) : (
          <>
            <Badge>Archived</Badge> <Time iso={archivedAt} day />
          </>
        )}
      </p>
      <div className="flex gap-2">
        {archivedAt === null ? (
          <ConfirmButton
            words="Archive"
            look="secondary"
            question="Archive it?"
            busy={archive.isPending}
            onConfirm={() => archive.mutate(input)}
          />
        ) : (
          <Button size="small" busy={unarchive.isPending} onClick={() => unarchive.mutate(input)}>
            Restore
          </Button>
        )}
        <ConfirmButton
          words="Delete"
          look="secondary"
          question="Delete permanently?"
          busy={remove.isPending}
          onConfirm={() => remove.mutate(input)}
        />
      </div>
    </section>
  );
}

/** The choices of the filter `archived`. */
export const ARCHIVED_CHOICES = [
  ['true', 'only archived'],
  ['all', 'with archived'],
] as const;
