import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { useList } from '../../data/use-api.ts';
import { useMayChange } from '../../shell/session.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { Split } from '../../ui/split.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { Ago, Time } from '../../ui/values.tsx';
import { PROCESSOR_NAMES } from '../../ui/words.ts';
import { ConnectDialog } from './connect-dialog.tsx';
import { EndpointDetail } from './endpoint-detail.tsx';
import { EndpointState } from './endpoint-state.tsx';
import { OutgoingWebhooks } from './outgoing.tsx';
import { StripePayouts } from './stripe-payouts.tsx';

type Endpoint = Answer<'listWebhookEndpoints'>['data'][number];

export default function Connections() {
  const { id } = useParams<{ id?: string }>();
  const list = useList('listWebhookEndpoints', {});
  const [isNew, setNew] = useState(false);
  const [, navigate] = useLocation();
  const mayChange = useMayChange();
  const connect = mayChange && (
    <Button look="primary" onClick={() => setNew(true)}>
      <Icon name="plus" /> Connect a processor
    </Button>
  );
  return (
    <Page title="Connections" actions={list.rows?.length === 0 ? null : connect}>
      <Split detail={id === undefined ? null : <EndpointDetail key={id} id={id} back="/connections" />}>
        <Table
          label="Connections"
          columns={COLUMNS}
          rows={list.rows}
          idOf={(endpoint) => endpoint.id}
          href={(endpoint) => `/connections/${endpoint.id}`}
          openId={id}
          more={moreOf(list)}
          empty={<NoConnection>{connect}</NoConnection>}
        />
      </Split>
      {/* once the length of the list above is known */}
      {id === undefined && (list.rows || list.error) && (
        <>
          <StripePayouts />
          <OutgoingWebhooks />
        </>
      )}
      {isNew && (
        <ConnectDialog onClose={() => setNew(false)} onDone={(endpoint) => navigate(`/connections/${endpoint.id}`)} />
      )}
    </Page>
  );
}

const COLUMNS: readonly Column<Endpoint>[] = [
  {
    name: 'processor',
    label: 'Processor',
    render: ({ processor, shopDomain }) => (
      <>
        {PROCESSOR_NAMES[processor]}
        {shopDomain !== null && <span className="ml-2 font-normal text-muted-foreground">{shopDomain}</span>}
      </>
    ),
  },
  { name: 'state', label: 'State', width: 'w-44', render: (endpoint) => <EndpointState endpoint={endpoint} /> },
  {
    name: 'last',
    label: 'Last delivery',
    under: 'start',
    width: 'w-44',
    render: ({ lastDeliveryAt }) => <Ago iso={lastDeliveryAt} />,
  },
  { name: 'since', label: 'Since', from: 'lg', width: 'w-32', render: ({ createdAt }) => <Time iso={createdAt} day /> },
];

function NoConnection({ children }: { children: React.ReactNode }) {
  return (
    <Empty title="No processor is connected">
      <p>
        Refbridge learns about payments from the webhooks of your payment processor. To connect one, enter an address
        there, tick a list of events, and paste a secret back here.
      </p>
      {children}
    </Empty>
  );
}
