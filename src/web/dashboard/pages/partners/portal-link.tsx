import type { Answer } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { useChange } from '../../data/use-api.ts';
import { Code } from '../../ui/empty.tsx';
import { Part } from '../../ui/split.tsx';
import { Time } from '../../ui/values.tsx';

/** An address that opens the partner's portal, for partners without an account in the company's product. */
export function PortalLink({ partner: { id, name } }: { partner: Answer<'getPartner'> }) {
  const create = useChange('createPortalLink');
  return (
    <Part
      title="Portal"
      actions={
        <Button size="small" busy={create.isPending} onClick={() => create.mutate({ parameters: { id } })}>
          Create a link to the portal
        </Button>
      }
    >
      {create.data === undefined ? (
        <p className="text-sm text-muted-foreground">
          There {name} sees links, results and earnings. A link to it signs them in, without an account in your product.
        </p>
      ) : (
        <>
          <Code text={create.data.url} label="Copy the link" />
          <p className="text-sm text-muted-foreground">
            Send it to {name} yourself. It works once, until <Time iso={create.data.expires} />, and is not shown again.
          </p>
        </>
      )}
    </Part>
  );
}
