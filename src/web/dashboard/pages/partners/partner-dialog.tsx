import { useState } from 'react';
import { CODES_IN_FORMS, joinCodes, splitCodes } from '../../../../core/code-list.ts';
import type { Answer } from '../../../parts/api.ts';
import { changesOf } from '../../data/changes.ts';
import { useChange, useRead } from '../../data/use-api.ts';
import { CommissionFields } from '../../ui/commission-fields.tsx';
import { commissionPatch, commissionText, parseCommission } from '../../ui/commission-text.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, type Option, Select } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';

type Partner = Answer<'getPartner'>;

interface PartnerDialogProps {
  /** The partner to change; without it, a new one is enrolled. */
  partner?: Partner;
  onClose(): void;
  onDone?(partner: Partner): void;
}

export function PartnerDialog({ partner, onClose, onDone }: PartnerDialogProps) {
  const [opened] = useState(partner);
  const [name, setName] = useState(partner?.name ?? '');
  const [email, setEmail] = useState(partner?.email ?? '');
  const [tenantId, setTenantId] = useState(partner?.tenantId ?? '');
  const [codes, setCodes] = useState(() => joinCodes(partner?.discountCodes ?? [], CODES_IN_FORMS));
  const [terms, setTerms] = useState(() => commissionText(partner?.commission));
  const [programId, setProgramId] = useState('');
  const { isLoading, programs } = useProgramChoice(partner === undefined);
  const finish = (saved: Partner) => {
    onClose();
    onDone?.(saved);
  };
  const create = useChange('createPartner', { done: `${name} is a partner`, onDone: finish, quiet: true });
  const update = useChange('updatePartner', { done: 'Saved', onDone: finish, quiet: true });
  const change = partner === undefined ? create : update;
  const commission = parseCommission(terms);
  const send = () => {
    const body = {
      name,
      email,
      tenantId: tenantId || null,
      discountCodes: splitCodes(codes, CODES_IN_FORMS),
      commission: commissionPatch(commission ?? null, opened?.commission),
    };
    if (opened === undefined) create.mutate({ body: programs === null ? body : { ...body, programId } });
    else update.mutate({ parameters: { id: opened.id }, body: changesOf(body, opened) });
  };
  return (
    <Dialog
      title={partner === undefined ? 'New partner' : `Change ${partner.name}`}
      onClose={onClose}
      className="max-w-lg"
    >
      <Form
        action={partner === undefined ? 'Enroll the partner' : 'Save'}
        busy={change.isPending}
        error={change.error}
        disabled={commission === undefined || isLoading || (programs !== null && programId === '')}
        onSend={send}
      >
        <Field label="Name" required value={name} onText={setName} problem={problemOf(change.error, 'name')} />
        <Field
          label="E-mail address"
          type="email"
          required
          value={email}
          onText={setEmail}
          problem={problemOf(change.error, 'email')}
        />
        {programs && (
          <Select
            label="Program"
            value={programId}
            onText={setProgramId}
            options={programs}
            problem={problemOf(change.error, 'programId')}
          />
        )}
        <CommissionFields value={terms} onChange={setTerms} fallback="As the program says" />
        <Field
          label="Discount codes"
          value={codes}
          onText={setCodes}
          hint="A payment with one of these codes is theirs. Separate several by commas; quote one that contains a comma."
          problem={problemOf(change.error, 'discountCodes')}
        />
        <Field
          label="Your own id for the partner"
          value={tenantId}
          onText={setTenantId}
          hint="Optional; the embedded portal can be opened with it."
          problem={problemOf(change.error, 'tenantId')}
        />
      </Form>
    </Dialog>
  );
}

/** What a new partner can be enrolled in; null if there is no choice. If that cannot be fetched, the service decides. */
function useProgramChoice(isNew: boolean): { isLoading: boolean; programs: readonly Option[] | null } {
  const { data, isPending } = useRead('listPrograms', { query: { limit: 100 } }, { enabled: isNew });
  const isLoading = isNew && isPending;
  if (!isNew || data === undefined || data.data.length < 2) return { isLoading, programs: null };
  return { isLoading, programs: [['', 'Choose one'], ...data.data.map(({ id, name }): Option => [id, name])] };
}
