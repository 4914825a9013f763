import { useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { useFilters } from '../../data/filters.ts';
import { useChange, useList } from '../../data/use-api.ts';
import { useMayChange } from '../../shell/session.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Code, Empty } from '../../ui/empty.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { Ago } from '../../ui/values.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { OutgoingDialog } from './outgoing-dialog.tsx';

type EventEndpoint = Answer<'getEventEndpoint'>;

/** The endpoints that events are sent to. */
export function OutgoingWebhooks() {
  const list = useList('listEventEndpoints', {});
  const [isNew, setNew] = useState(false);
  // in the address, so that it can be shared
  const { values, set } = useFilters(['outgoing']);
  const mayChange = useMayChange();
  // an endpoint that a person disabled is not a problem
  const off = list.rows?.filter(({ enabled, failingSince }) => !enabled && failingSince !== null) ?? [];
  return (
    <section className="mt-8 flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h2 className="text-sm font-semibold">Outgoing webhooks</h2>
          <p className="text-sm text-muted-foreground">
            Tell your own systems about leads, sales, commissions and payouts as they happen.
          </p>
        </div>
        {mayChange && (
          <Button onClick={() => setNew(true)}>
            <Icon name="plus" /> Add an endpoint
          </Button>
        )}
      </div>
      {off.map(({ id, url, disabledReason }) => (
        <p key={id} role="alert" className="rounded-md bg-danger-surface px-3 py-2 text-sm text-destructive">
          <span className="break-all">{url}</span> is disabled: {disabledReason}.
        </p>
      ))}
      <Table
        label="Outgoing webhooks"
        columns={COLUMNS}
        rows={list.rows}
        idOf={(endpoint) => endpoint.id}
        href={(endpoint) => `/connections?outgoing=${endpoint.id}`}
        more={moreOf(list)}
        empty={
          <Empty title="No endpoint yet">
            <p>
              Add the URL of your server, or of an automation service. Every event is signed, sent again until it
              arrives, and listed here with its attempts.
            </p>
          </Empty>
        }
      />
      {isNew && <AddDialog onClose={() => setNew(false)} />}
      {values.outgoing && <OutgoingDialog id={values.outgoing} onClose={() => set('outgoing', '')} />}
    </section>
  );
}

const COLUMNS: readonly Column<EventEndpoint>[] = [
  {
    name: 'url',
    label: 'URL',
    render: ({ url }) => <span className="max-sm:break-all">{url.replace(/^https:\/\//, '')}</span>,
  },
  {
    name: 'last',
    label: 'Last success',
    from: 'sm',
    width: 'w-44',
    render: ({ lastSuccessAt }) => <Ago iso={lastSuccessAt} />,
  },
  { name: 'state', label: 'State', width: 'w-32', render: (endpoint) => <State endpoint={endpoint} /> },
];

function State({ endpoint: { enabled, failingSince } }: { endpoint: EventEndpoint }) {
  if (!enabled) return <Badge tone={failingSince === null ? 'neutral' : 'bad'}>Disabled</Badge>;
  return failingSince === null ? <Badge tone="good">On</Badge> : <Badge tone="warn">Failing</Badge>;
}

function AddDialog({ onClose }: { onClose(): void }) {
  const create = useChange('createEventEndpoint', { quiet: true });
  return (
    <Dialog
      title="New outgoing webhook"
      onClose={onClose}
      loses={create.data && 'The secret is not shown again.'}
      className="max-w-2xl"
    >
      {create.data ? (
        <div className="flex flex-col gap-3 text-sm">
          <p>This secret verifies the signatures. Copy it now: it is not shown again.</p>
          <Code text={create.data.secret} label="Copy the secret" />
          <Button look="primary" className="self-start" onClick={onClose}>
            Done
          </Button>
        </div>
      ) : (
        <EndpointForm
          action="Add the endpoint"
          busy={create.isPending}
          error={create.error}
          onSend={(body) => create.mutate({ body })}
        />
      )}
    </Dialog>
  );
}
