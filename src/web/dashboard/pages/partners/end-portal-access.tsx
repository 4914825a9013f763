import type { Answer } from '../../../parts/api.ts';
import { useChange } from '../../data/use-api.ts';
import { counted } from '../../ui/counted.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form.tsx';

interface EndPortalAccessProps {
  partner: Answer<'getPartner'>;
  onClose(): void;
  onDone(): void;
}

/** Says what the end of all access to a partner's portal means, and ends it. */
export function EndPortalAccess({ partner: { id, name }, onClose, onDone }: EndPortalAccessProps) {
  const end = useChange('endPortalAccess', { done: endedInWords, onDone, quiet: true });
  return (
    // closed after it was sent: what is shown has ended, too
    <Dialog title={`End access to the portal of ${name}?`} onClose={end.isPending ? onDone : onClose}>
      <Form
        action="End all access"
        look="danger"
        busy={end.isPending}
        error={end.error}
        onSend={() => end.mutate({ parameters: { id } })}
      >
        <div className="flex flex-col gap-2 text-sm text-muted-foreground">
          <p>
            For when a link has reached the wrong person. Links that nobody has opened stop working, and whoever has the
            portal open, also inside your product, can no longer read it or change how {name} is paid.
          </p>
          <p>
            New links work, and your product can open the portal again. Payment details that were already changed stay:
            check them.
          </p>
        </div>
      </Form>
    </Dialog>
  );
}

const ENDED = [
  ['links', 'unused link'],
  ['sessions', 'session'],
  ['embedTokens', 'embed token'],
] as const;

/** `Ended: 1 unused link, 2 sessions` */
function endedInWords(ended: Answer<'endPortalAccess'>): string {
  const parts = ENDED.filter(([kind]) => ended[kind] > 0).map(([kind, one]) => counted(ended[kind], one));
  return parts.length === 0 ? 'Nobody had access' : `Ended: ${parts.join(', ')}`;
}
