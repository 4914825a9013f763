import { useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { changesOf } from '../../data/changes.ts';
import { useChange } from '../../data/use-api.ts';
import { CommissionFields } from '../../ui/commission-fields.tsx';
import { commissionPatch, commissionText, parseCommission } from '../../ui/commission-text.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { PartnerChooser } from '../../ui/partner-chooser.tsx';

type LinkResource = Answer<'getLink'>;

interface LinkDialogProps {
  partnerId?: string | undefined;
  /** The link to change; without it, a new one is created. */
  link?: LinkResource;
  onClose(): void;
}

export function LinkDialog({ partnerId, link, onClose }: LinkDialogProps) {
  const [opened] = useState(link);
  const [partner, setPartner] = useState(link?.partnerId ?? partnerId ?? '');
  const [url, setUrl] = useState(link?.url ?? '');
  const [key, setKey] = useState(link?.key ?? '');
  const [domain, setDomain] = useState(link?.domain ?? '');
  const [terms, setTerms] = useState(() => commissionText(link?.commission));
  const create = useChange('createLink', {
    done: ({ shortLink }) => `${shortLink} is ready`,
    onDone: onClose,
    quiet: true,
  });
  const update = useChange('updateLink', { done: 'Saved', onDone: onClose, quiet: true });
  const change = link === undefined ? create : update;
  const commission = parseCommission(terms);
  const send = () => {
    const body = {
      partnerId: partner,
      url,
      key: key || null,
      domain: domain || null,
      commission: commissionPatch(commission ?? null, opened?.commission),
    };
    if (opened === undefined) create.mutate({ body });
    else update.mutate({ parameters: { id: opened.id }, body: changesOf(body, opened) });
  };
  return (
    <Dialog title={link === undefined ? 'New link' : 'Change the link'} onClose={onClose} className="max-w-lg">
      <Form
        action={link === undefined ? 'Create the link' : 'Save'}
        busy={change.isPending}
        error={change.error}
        disabled={commission === undefined || partner === ''}
        onSend={send}
      >
        <PartnerChooser value={partner} onChoose={setPartner} problem={problemOf(change.error, 'partnerId')} />
        <Field
          label="Leads to"
          type="url"
          required
          placeholder="https://shop.example.com/"
          value={url}
          onText={setUrl}
          problem={problemOf(change.error, 'url')}
        />
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <Field
            label="Key"
            placeholder="ana"
            value={key}
            onText={setKey}
            hint="The path of the link; generated if empty."
            problem={problemOf(change.error, 'key')}
          />
          <Field
            label="Domain"
            placeholder={location.host}
            value={domain}
            onText={setDomain}
            hint="One of your hosts that points here."
            problem={problemOf(change.error, 'domain')}
          />
        </div>
        <CommissionFields value={terms} onChange={setTerms} fallback="As the partner's terms say" />
      </Form>
    </Dialog>
  );
}
