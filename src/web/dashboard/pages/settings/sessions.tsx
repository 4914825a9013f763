import type { Answer } from '../../../parts/api.ts';
import { Badge } from '../../../parts/badge.tsx';
import { useChange, useList } from '../../data/use-api.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { Ago, None, Time } from '../../ui/values.tsx';
import { browserInWords } from './browser-in-words.ts';

type Session = Answer<'listSessions'>['data'][number];

export function Sessions() {
  const list = useList('listSessions', {});
  return (
    <Table
      label="Sessions"
      columns={COLUMNS}
      rows={list.rows}
      idOf={(session) => session.id}
      more={moreOf(list)}
      empty={<Empty title="No session" />}
    />
  );
}

const OPENED_BY: Readonly<Record<Session['openedBy'], string>> = {
  code: 'Sign-in address',
  password: 'Password',
  single_sign_on: 'Single sign-on',
};

const COLUMNS: readonly Column<Session>[] = [
  { name: 'operator', label: 'Operator', render: ({ operatorName }) => operatorName },
  {
    name: 'browser',
    label: 'Browser',
    under: 'start',
    render: ({ userAgent }) =>
      userAgent === null ? <None /> : <span title={userAgent}>{browserInWords(userAgent)}</span>,
  },
  {
    name: 'opened',
    label: 'Signed in with',
    from: 'lg',
    width: 'w-36',
    render: ({ openedBy }) => OPENED_BY[openedBy],
  },
  {
    name: 'seen',
    label: 'Last seen',
    from: 'sm',
    under: 'start',
    width: 'w-44',
    render: ({ lastSeenAt }) => <Ago iso={lastSeenAt} />,
  },
  { name: 'ends', label: 'Ends', from: 'lg', width: 'w-32', render: ({ expiresAt }) => <Time iso={expiresAt} day /> },
  {
    name: 'end',
    label: <span className="sr-only">End</span>,
    align: 'right',
    width: 'w-32',
    render: (session) => <End session={session} />,
  },
];

function End({ session: { id, isCurrent } }: { session: Session }) {
  const end = useChange('endSession', { done: 'The session has ended' });
  if (isCurrent) return <Badge tone="accent">This one</Badge>;
  return (
    <ConfirmButton
      words="End"
      question="Sign out?"
      busy={end.isPending}
      onConfirm={() => end.mutate({ parameters: { id } })}
    />
  );
}
