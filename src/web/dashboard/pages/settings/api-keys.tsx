import { useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { useChange, useList } from '../../data/use-api.ts';
import { useMayChange, useOperator } from '../../shell/session.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Code, Empty } from '../../ui/empty.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { Ago, Time } from '../../ui/values.tsx';

type ApiKey = Answer<'listApiKeys'>['data'][number];

export function ApiKeys() {
  const list = useList('listApiKeys', {});
  const [isNew, setNew] = useState(false);
  const mayChange = useMayChange();
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-muted-foreground">
          For your servers. A key gives access to this account: keep it out of browsers and repositories.
        </p>
        {mayChange && (
          <Button onClick={() => setNew(true)}>
            <Icon name="plus" /> New key
          </Button>
        )}
      </div>
      <Table
        label="API keys"
        columns={mayChange ? COLUMNS : COLUMNS.slice(0, -1)}
        rows={list.rows}
        idOf={(key) => key.id}
        more={moreOf(list)}
        empty={<Empty title="No API key" />}
      />
      {isNew && <KeyDialog onClose={() => setNew(false)} />}
    </div>
  );
}

const COLUMNS: readonly Column<ApiKey>[] = [
  { name: 'name', label: 'Name', render: ({ name }) => name },
  {
    name: 'key',
    label: 'Key',
    under: 'start',
    width: 'w-48',
    // keys are told apart by their end: without room, the beginning loses whole characters
    render: ({ prefix, lastFour }) => (
      <code className="inline-flex max-w-full font-mono text-xs">
        <span className="max-w-[round(down,100%_-_5ch,1ch)] overflow-hidden">{prefix}</span>
        <span>…{lastFour}</span>
      </code>
    ),
  },
  {
    name: 'scope',
    label: 'Scope',
    from: 'sm',
    under: 'start',
    width: 'w-24',
    render: ({ scope }) => <span className="capitalize">{scope}</span>,
  },
  {
    name: 'made',
    label: 'Created',
    from: 'lg',
    width: 'w-32',
    render: ({ createdAt }) => <Time iso={createdAt} day />,
  },
  {
    name: 'used',
    label: 'Last used',
    from: 'lg',
    under: 'start',
    width: 'w-44',
    // a phone shows it without the heading
    render: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never used' : <Ago iso={lastUsedAt} />),
  },
  {
    name: 'revoke',
    label: <span className="sr-only">Revoke</span>,
    align: 'right',
    width: 'w-40',
    render: (key) => <Revoke apiKey={key} />,
  },
];

function Revoke({ apiKey: { id, scope, revokedAt } }: { apiKey: ApiKey }) {
  const { role } = useOperator();
  const revoke = useChange('revokeApiKey', { done: 'The key is refused from now on' });
  if (revokedAt !== null) return <Badge>Revoked</Badge>;
  if (scope === 'full' && role !== 'owner') return null;
  return (
    <ConfirmButton
      words="Revoke"
      question="Revoke permanently?"
      busy={revoke.isPending}
      onConfirm={() => revoke.mutate({ parameters: { id } })}
    />
  );
}

type Scope = ApiKey['scope'];

const SCOPES: readonly (readonly [Scope, string])[] = [
  ['track', 'Report leads, sales and refunds, open portals'],
  ['read', 'Read everything'],
  ['full', 'Do everything'],
];

function KeyDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Scope>('track');
  const { role } = useOperator();
  const create = useChange('createApiKey', { quiet: true });
  return (
    <Dialog title="New API key" onClose={onClose} loses={create.data && 'The key is not shown again.'}>
      {create.data ? (
        <div className="flex flex-col gap-3 text-sm">
          <p>
            This is the key of <strong>{create.data.name}</strong>. Copy it now: it is not shown again.
          </p>
          <Code text={create.data.key} label="Copy the key" />
          <Button look="primary" className="self-start" onClick={onClose}>
            Done
          </Button>
        </div>
      ) : (
        <Form
          action="Create the key"
          busy={create.isPending}
          error={create.error}
          onSend={() => create.mutate({ body: { name, scope } })}
        >
          <Field
            label="Name"
            required
            placeholder="Shop backend"
            value={name}
            onText={setName}
            hint="Where it is used."
            problem={problemOf(create.error, 'name')}
          />
          <Select
            label="What it may do"
            value={scope}
            options={role === 'owner' ? SCOPES : SCOPES.filter(([name]) => name !== 'full')}
            onText={(chosen) => setScope(chosen as Scope)}
          />
        </Form>
      )}
    </Dialog>
  );
}
