import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { buttonClass } from '../../../parts/button.tsx';
import { PROCESSOR_GUIDES } from '../../data/processor-guides.ts';
import { useChange, useRead } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { useMayChange } from '../../shell/session.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Code } from '../../ui/empty.tsx';
import { Check } from '../../ui/field.tsx';
import { Detail, Facts, Part } from '../../ui/split.tsx';
import { Ago, CopyId, Time } from '../../ui/values.tsx';
import { PROCESSOR_NAMES } from '../../ui/words.ts';
import { ApiAddress } from './api-address.tsx';
import { canVerify, EndpointState } from './endpoint-state.tsx';
import { FirstDelivery } from './first-delivery.tsx';
import { Reconcile } from './reconcile/reconcile.tsx';
import { RefusalNote, useRefusals } from './refusals.tsx';
import { SecretForm } from './secret-form.tsx';
import { Step } from './step.tsx';

type Endpoint = Answer<'getWebhookEndpoint'>;

const WAITING_MS = 3_000;

/** One connection: the remaining steps, or how it is doing. */
export function EndpointDetail({ id, back }: { id: string; back: string }) {
  const [isWaiting, setWaiting] = useState(true);
  const {
    data: endpoint,
    error,
    refetch,
  } = useRead('getWebhookEndpoint', { parameters: { id } }, { refetchInterval: isWaiting ? WAITING_MS : false });
  if (endpoint && isWaiting === (endpoint.lastDeliveryAt !== null)) setWaiting(!isWaiting);
  return (
    <Detail
      label="Connection"
      back={back}
      title={endpoint ? PROCESSOR_NAMES[endpoint.processor] : 'Connection'}
      actions={endpoint && <EndpointState endpoint={endpoint} />}
    >
      {error && <ProblemPage error={error} retry={refetch} />}
      {endpoint && <EndpointBody endpoint={endpoint} back={back} />}
    </Detail>
  );
}

/** The program whose partners alone earn from the endpoint's payments, maybe because there is no other. */
function OnlyProgram({ id }: { id: string }) {
  const { data } = useRead('listPrograms', { query: { limit: 100, archived: 'all' } });
  const name = data?.data.find((program) => program.id === id)?.name ?? id;
  return data?.data.length === 1 ? name : `Only partners of ${name}`;
}

function EndpointBody({ endpoint, back }: { endpoint: Endpoint; back: string }) {
  const guide = PROCESSOR_GUIDES[endpoint.processor];
  const mayChange = useMayChange();
  return (
    <>
      <ol className="flex flex-col gap-5">
        <Step
          number={1}
          title={`Enter this address at ${PROCESSOR_NAMES[endpoint.processor]}`}
          isDone={endpoint.lastDeliveryAt !== null}
        >
          <p className="text-sm text-muted-foreground">
            {guide.place}. {guide.choose}
          </p>
          <Code text={endpoint.url} label="Copy the address" />
        </Step>
        <Step number={2} title="Tick these events" isDone={endpoint.lastDeliveryAt !== null}>
          <ul className="flex flex-wrap gap-1.5">
            {guide.events.map((event) => (
              <li key={event} className="min-w-0 rounded bg-secondary px-1.5 py-0.5 font-mono text-xs wrap-anywhere">
                {event}
              </li>
            ))}
          </ul>
          <p className="text-xs text-muted-foreground">Extra events do no harm.</p>
        </Step>
        <Step
          number={3}
          title={guide.isSecretOurs ? 'Set the secret in both places' : 'Paste its secret here'}
          isDone={canVerify(endpoint)}
        >
          {mayChange ? (
            <SecretForm endpoint={endpoint} />
          ) : (
            <p className="text-sm text-muted-foreground">{guide.secret}</p>
          )}
        </Step>
        <Step number={4} title="Receive the first delivery" isDone={endpoint.lastDeliveryAt !== null}>
          <FirstDelivery endpoint={endpoint} />
        </Step>
        <Step number={5} title="Identify the customer" isDone={false}>
          <p className="text-sm text-muted-foreground">
            Pass your own id for the customer through the checkout, so that payments find their partner:
          </p>
          <Code text={guide.checkout} />
        </Step>
      </ol>
      <Refused endpoint={endpoint} />
      <Reconcile endpoint={endpoint} />
      {mayChange && <Options endpoint={endpoint} />}
      <Facts
        items={[
          ['Last delivery', endpoint.lastDeliveryAt && <Ago iso={endpoint.lastDeliveryAt} />],
          ['Secrets', String(endpoint.secretCount)],
          ['Shop', endpoint.shopDomain],
          ['Program', endpoint.programId && <OnlyProgram id={endpoint.programId} />],
          ['Since', <Time iso={endpoint.createdAt} day />],
          ['Endpoint', <CopyId>{endpoint.id}</CopyId>],
        ]}
      />
      <div className="flex flex-wrap gap-2">
        <Link href={`/deliveries?endpointId=${endpoint.id}`} className={buttonClass('secondary', 'small')}>
          Its deliveries
        </Link>
        {mayChange && <Remove endpoint={endpoint} back={back} />}
      </div>
    </>
  );
}

/** The refused deliveries, once a delivery has been accepted; before that, the waiting step shows the latest refusals. */
function Refused({ endpoint: { id, lastDeliveryAt } }: { endpoint: Endpoint }) {
  const refusals = useRefusals(id, false);
  if (refusals.length === 0 || lastDeliveryAt === null) return null;
  return (
    <Part title="Refused deliveries">
      {refusals.map((refusal) => (
        <RefusalNote key={refusal.reason} refusal={refusal} isOpen={refusal.lastRefusedAt > lastDeliveryAt} />
      ))}
    </Part>
  );
}

function Options({ endpoint }: { endpoint: Endpoint }) {
  const { id, processor, acceptTestEvents, countPaymentIntents } = endpoint;
  const change = useChange('updateWebhookEndpoint', { done: 'Saved' });
  const set = (body: { acceptTestEvents?: boolean; countPaymentIntents?: boolean }) =>
    change.mutate({ parameters: { id }, body });
  return (
    <Part title="Options">
      <Check
        label="Count test purchases as if they were real"
        checked={acceptTestEvents}
        onCheck={(checked) => set({ acceptTestEvents: checked })}
      />
      {processor === 'stripe' && (
        <Check
          label="Count payments without a checkout or invoice"
          hint="For the Payment Element; tick payment_intent.succeeded at Stripe as well."
          checked={countPaymentIntents}
          onCheck={(checked) => set({ countPaymentIntents: checked })}
        />
      )}
      {'accessToken' in PROCESSOR_GUIDES[processor].backfill && <ApiAddress endpoint={endpoint} />}
    </Part>
  );
}

function Remove({ endpoint: { id }, back }: { endpoint: Endpoint; back: string }) {
  const [, navigate] = useLocation();
  const remove = useChange('deleteWebhookEndpoint', { done: 'Disconnected', onDone: () => navigate(back) });
  return (
    <ConfirmButton
      words="Disconnect"
      question="Refuse all its deliveries from now on?"
      look="danger"
      busy={remove.isPending}
      onConfirm={() => remove.mutate({ parameters: { id } })}
    />
  );
}
