import { useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { changesOf } from '../../data/changes.ts';
import { useChange, useList } from '../../data/use-api.ts';
import { useOperator } from '../../shell/session.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Code, Empty } from '../../ui/empty.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { Ago, None, Time } from '../../ui/values.tsx';

type Operator = Answer<'listOperators'>['data'][number];
type Invited = Answer<'inviteOperator'>;

const ROLES = [
  ['viewer', 'Viewer: sees everything'],
  ['member', 'Member: changes most things'],
  ['owner', 'Owner: may do everything, also export, erase and invite'],
] as const;

export function Operators() {
  const list = useList('listOperators', {});
  const isOwner = useOperator().role === 'owner';
  const [isNew, setNew] = useState(false);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-muted-foreground">
          The people who sign in here. Owners invite them with an address that works once.
        </p>
        {isOwner && (
          <Button onClick={() => setNew(true)}>
            <Icon name="plus" /> Invite
          </Button>
        )}
      </div>
      <Table
        label="Operators"
        columns={isOwner ? [...COLUMNS, ACTIONS] : COLUMNS}
        rows={list.rows}
        idOf={(operator) => operator.id}
        more={moreOf(list)}
        empty={<Empty title="No operator" />}
      />
      {isNew && <InviteDialog onClose={() => setNew(false)} />}
    </div>
  );
}

const COLUMNS: readonly Column<Operator>[] = [
  { name: 'name', label: 'Name', render: ({ name }) => name },
  { name: 'email', label: 'E-mail', under: 'start', render: ({ email }) => email ?? <None /> },
  {
    name: 'role',
    label: 'Role',
    under: 'start',
    width: 'w-24',
    render: ({ role }) => <span className="capitalize">{role}</span>,
  },
  {
    name: 'seen',
    label: 'Last seen',
    from: 'lg',
    width: 'w-44',
    render: ({ lastSeenAt }) => <Ago iso={lastSeenAt} />,
  },
];

const ACTIONS: Column<Operator> = {
  name: 'actions',
  label: <span className="sr-only">Actions</span>,
  align: 'right',
  width: 'w-36 @3xl:w-80',
  render: (operator) => <OperatorActions operator={operator} />,
};

function OperatorActions({ operator }: { operator: Operator }) {
  const { id } = operator;
  const [isChanging, setChanging] = useState(false);
  const remove = useChange('removeOperator', { done: 'Removed, and signed out everywhere' });
  const [isShown, setShown] = useState(false);
  const again = useChange('createSignInUrl', { onDone: () => setShown(true) });
  const isSelf = useOperator().id === id;
  return (
    <span className="inline-flex items-end justify-end gap-1 @max-3xl:flex-col">
      <Button size="small" look="quiet" onClick={() => setChanging(true)}>
        Change
      </Button>
      <Button size="small" look="quiet" busy={again.isPending} onClick={() => again.mutate({ parameters: { id } })}>
        Sign-in address
      </Button>
      {!isSelf && (
        <ConfirmButton
          words="Remove"
          question="Really remove?"
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ parameters: { id } })}
        />
      )}
      {isChanging && <ChangeDialog operator={operator} onClose={() => setChanging(false)} />}
      {isShown && again.data && (
        <Dialog title="Sign-in address" onClose={() => setShown(false)}>
          <Invitation invited={again.data} />
        </Dialog>
      )}
    </span>
  );
}

function Invitation({ invited: { operator, signInUrl, expires } }: { invited: Invited }) {
  return (
    <div className="flex flex-col gap-3 text-left text-sm whitespace-normal">
      <p>Send this address to {operator.name} yourself. It signs them in, once, and is not shown again.</p>
      <Code text={signInUrl} label="Copy the address" />
      <p className="text-muted-foreground">
        It works until <Time iso={expires} />.
      </p>
    </div>
  );
}

function InviteDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<string>('member');
  const invite = useChange('inviteOperator', { quiet: true });
  const body = { name, email, role: role as Operator['role'] };
  return (
    <Dialog title="Invite an operator" onClose={onClose}>
      {invite.data ? (
        <Invitation invited={invite.data} />
      ) : (
        <Form
          action="Create the address"
          busy={invite.isPending}
          error={invite.error}
          onSend={() => invite.mutate({ body })}
        >
          <Field label="Name" required value={name} onText={setName} problem={problemOf(invite.error, 'name')} />
          <Field
            label="E-mail address"
            type="email"
            required
            value={email}
            onText={setEmail}
            problem={problemOf(invite.error, 'email')}
          />
          <Select label="Role" value={role} onText={setRole} options={ROLES} />
        </Form>
      )}
    </Dialog>
  );
}

function ChangeDialog({ operator, onClose }: { operator: Operator; onClose(): void }) {
  const [opened] = useState(operator);
  const [name, setName] = useState(opened.name);
  const [role, setRole] = useState<string>(opened.role);
  const change = useChange('updateOperator', { done: 'Saved', onDone: onClose, quiet: true });
  const body = changesOf({ name, role: role as Operator['role'] }, opened);
  return (
    <Dialog title={`Change ${opened.name}`} onClose={onClose}>
      <div className="text-left whitespace-normal">
        <Form
          action="Save"
          busy={change.isPending}
          error={change.error}
          onSend={() => change.mutate({ parameters: { id: opened.id }, body })}
        >
          <Field label="Name" required value={name} onText={setName} problem={problemOf(change.error, 'name')} />
          <Select
            label="Role"
            value={role}
            onText={setRole}
            options={ROLES}
            problem={problemOf(change.error, 'role')}
          />
        </Form>
      </div>
    </Dialog>
  );
}
