import { useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { useChange } from '../../data/use-api.ts';
import { Code } from '../../ui/empty.tsx';
import { Part } from '../../ui/split.tsx';
import { Time } from '../../ui/values.tsx';
import { EndPortalAccess } from './end-portal-access.tsx';

/** An address that opens the partner's portal, for partners without an account in the company's product. */
export function PortalLink({ partner }: { partner: Answer<'getPartner'> }) {
  const { id, name } = partner;
  const [link, setLink] = useState<Answer<'createPortalLink'> | null>(null);
  const [isEnding, setEnding] = useState(false);
  const create = useChange('createPortalLink', { onDone: setLink });
  const forgetLink = () => {
    setEnding(false);
    setLink(null);
  };
  return (
    <Part
      title="Portal"
      actions={
        <Button size="small" busy={create.isPending} onClick={() => create.mutate({ parameters: { id } })}>
          Create a link to the portal
        </Button>
      }
    >
      <div role="status" className="flex flex-col gap-2.5">
        {link === null ? (
          <p className="text-sm text-muted-foreground">
            There {name} sees links, results and earnings. A link to it signs them in, without an account in your
            product.
          </p>
        ) : (
          <>
            <Code text={link.url} label="Copy the link" />
            <p className="text-sm text-muted-foreground">
              Send it to {name} yourself. It works once, until <Time iso={link.expires} />, and is not shown again.
            </p>
          </>
        )}
      </div>
      <Button size="small" className="self-start" onClick={() => setEnding(true)}>
        End access
      </Button>
      {isEnding && <EndPortalAccess partner={partner} onClose={() => setEnding(false)} onDone={forgetLink} />}
    </Part>
  );
}
