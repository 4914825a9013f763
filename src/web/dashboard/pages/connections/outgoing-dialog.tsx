import type { Answer } from '../../../parts/api.ts';
import { Badge, type Tone } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { useChange, useList, useRead } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { useMayChange } from '../../shell/session.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/split.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { None, Time } from '../../ui/values.tsx';
import { OutgoingActions } from './outgoing-actions.tsx';

type SentEvent = Answer<'listEvents'>['data'][number];
type EventEndpoint = Answer<'getEventEndpoint'>;

const POLL_MS = 3_000;

const STATES: Readonly<Record<SentEvent['deliveries'][number]['status'], readonly [words: string, tone: Tone]>> = {
  waiting: ['Waiting', 'warn'],
  delivered: ['Delivered', 'good'],
  failed: ['Failed', 'bad'],
};

/** What was sent to one endpoint recently, and what can be done about it. */
export function OutgoingDialog({ id, onClose }: { id: string; onClose(): void }) {
  const endpoint = useRead('getEventEndpoint', { parameters: { id } }, { refetchInterval: POLL_MS });
  const list = useList('listEvents', { endpointId: id }, {}, { refetchInterval: POLL_MS });
  const mayChange = useMayChange();
  return (
    <Dialog title="Outgoing webhook" onClose={onClose} className="max-w-3xl">
      <div className="flex flex-col gap-4 text-sm">
        {endpoint.error && <ProblemPage error={endpoint.error} retry={endpoint.refetch} />}
        <p className="min-h-5 font-medium break-all">{endpoint.data?.url}</p>
        {endpoint.data && <Standing endpoint={endpoint.data} />}
        {endpoint.data && mayChange && <OutgoingActions endpoint={endpoint.data} onClose={onClose} />}
        <Table
          label="Recent events"
          columns={columnsOf(id, mayChange)}
          rows={list.rows}
          idOf={(event) => event.id}
          more={moreOf(list)}
          isInDialog
          empty={
            <Empty title="Nothing was sent yet">
              <p>Events appear here as they happen. To see that your server receives them, send a test event.</p>
            </Empty>
          }
        />
      </div>
    </Dialog>
  );
}

function Standing({ endpoint }: { endpoint: EventEndpoint }) {
  const { enabled, disabledReason, disabledAt, failingSince, lastSuccessAt, types, description } = endpoint;
  return (
    <>
      {!enabled && (
        <p role="alert" className="rounded-md bg-danger-surface px-3 py-2 text-destructive">
          Disabled{disabledAt && ' since '}
          {disabledAt && <Time iso={disabledAt} />}: {disabledReason}. Events that happen meanwhile are not sent to it.
        </p>
      )}
      {enabled && failingSince !== null && (
        <p role="alert" className="rounded-md bg-warning-surface px-3 py-2 text-warning">
          Every attempt has failed since <Time iso={failingSince} />. After five days it is disabled.
        </p>
      )}
      <Facts
        items={[
          ['Description', description],
          ['Last success', lastSuccessAt && <Time iso={lastSuccessAt} />],
          ['Events', <span className="font-mono text-xs">{types.join(', ')}</span>],
        ]}
      />
    </>
  );
}

function columnsOf(endpointId: string, mayChange: boolean): readonly Column<SentEvent>[] {
  const deliveryOf = ({ deliveries }: SentEvent) => deliveries.find((delivery) => delivery.endpointId === endpointId);
  const columns: readonly Column<SentEvent>[] = [
    { name: 'type', label: 'Event', render: ({ type }) => <code className="font-mono text-xs">{type}</code> },
    {
      name: 'time',
      label: 'Time',
      under: 'start',
      width: 'w-40',
      render: ({ timestamp }) => <Time iso={timestamp} />,
    },
    {
      name: 'state',
      label: 'State',
      width: 'w-28',
      render: (event) => {
        const delivery = deliveryOf(event);
        return delivery ? <Badge tone={STATES[delivery.status][1]}>{STATES[delivery.status][0]}</Badge> : <None />;
      },
    },
    {
      name: 'answer',
      label: 'Last attempt',
      from: 'sm',
      render: (event) => {
        const { error = null, responseStatus = null } = deliveryOf(event) ?? {};
        return error === null ? (
          responseStatus === null ? (
            <None />
          ) : (
            `Answered ${responseStatus}`
          )
        ) : (
          <span title={error}>{error}</span>
        );
      },
    },
  ];
  if (!mayChange) return columns;
  const again: Column<SentEvent> = {
    name: 'again',
    label: <span className="sr-only">Send again</span>,
    align: 'right',
    width: 'w-28',
    render: ({ id }) => <Again id={id} endpointId={endpointId} />,
  };
  return [...columns, again];
}

function Again({ id, endpointId }: { id: string; endpointId: string }) {
  const resend = useChange('resendEvent', { done: 'It will be sent again' });
  return (
    <Button
      size="small"
      look="quiet"
      busy={resend.isPending}
      onClick={() => resend.mutate({ parameters: { id }, body: { endpointId } })}
    >
      Send again
    </Button>
  );
}
