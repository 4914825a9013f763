import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Answer } from '../../../../parts/api.ts';
import { addDays, utcDay } from '../../../../parts/time.ts';
import { useFilters } from '../../../data/filters.ts';
import { type BackfillGuide, PROCESSOR_GUIDES } from '../../../data/processor-guides.ts';
import { useChange, useList } from '../../../data/use-api.ts';
import { ProblemPage } from '../../../shell/problem.tsx';
import { useMayChange } from '../../../shell/session.tsx';
import { Bone } from '../../../ui/bone.tsx';
import { Part } from '../../../ui/split.tsx';
import { PROCESSOR_NAMES } from '../../../ui/words.ts';
import { AccessToken } from './access-token.tsx';
import { EarlierReconciliations } from './earlier-reconciliations.tsx';
import { ReconcileForm } from './reconcile-form.tsx';
import { ReconciliationRun } from './reconciliation-run.tsx';

type Endpoint = Answer<'getWebhookEndpoint'>;

const SINCE_DAYS = 7;

/** Compares what the processor's API says happened with the webhooks that arrived, and books what is missing. */
export function Reconcile({ endpoint }: { endpoint: Endpoint }) {
  const { backfill } = PROCESSOR_GUIDES[endpoint.processor];
  if ('accessToken' in backfill) return <Reconciliations endpoint={endpoint} guide={backfill} />;
  return (
    <Part title="Reconcile">
      <p className="text-sm text-muted-foreground">{backfill.unavailable}</p>
    </Part>
  );
}

function Reconciliations({ endpoint, guide }: { endpoint: Endpoint; guide: BackfillGuide }) {
  const { id: endpointId, hasAccessToken } = endpoint;
  const client = useQueryClient();
  const mayChange = useMayChange();
  const { values, set } = useFilters(['reconciliation']);
  const openId = values.reconciliation ?? null;
  const open = (id: string) => set('reconciliation', id);
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only for an address that names one, when it is opened
  useEffect(() => {
    if (openId !== null) place.current?.scrollIntoView();
  }, []);
  const list = useList('listReconciliations', { endpointId });
  const own = list.rows;
  const [closedId, setClosedId] = useState<string | null>(null);
  const underWay = own?.find(({ id, endedAt }) => endedAt === null && id !== closedId);
  const shownId = openId ?? underWay?.id ?? null;
  const isForm = shownId === null && hasAccessToken && mayChange;
  const [since, setSince] = useState(() => addDays(utcDay(Date.now()), -SINCE_DAYS));
  const create = useChange('reconcileWebhookEndpoint', { quiet: true, onDone: ({ id }) => open(id) });
  const start = (from: string, dryRun: boolean) =>
    create.mutate({ parameters: { id: endpointId }, body: { since: from, dryRun } });
  return (
    <div ref={place} className="flex min-w-0 scroll-mt-4 flex-col gap-6">
      <Part title="Reconcile">
        {shownId === null && <Purpose endpoint={endpoint} mayChange={mayChange} />}
        {shownId !== null && (
          <ReconciliationRun
            key={shownId}
            id={shownId}
            endpointId={endpointId}
            mayChange={mayChange}
            onStart={mayChange && hasAccessToken ? start : null}
            isStarting={create.isPending}
            error={create.error}
            onClose={() => {
              create.reset();
              setClosedId(shownId);
              set('reconciliation', '');
            }}
            onEnd={(id) => {
              // such as that this one was under way
              create.reset();
              // it is no longer under way: its result would give way to the form
              if (openId === null) open(id);
              const listed = own?.find((run) => run.id === id);
              if (listed === undefined || listed.endedAt === null) void client.invalidateQueries();
            }}
          />
        )}
        {isForm && own === undefined && !list.error && <Bone className="h-40 w-full" />}
        {isForm && (own !== undefined || list.error) && (
          <ReconcileForm
            since={since}
            onSince={setSince}
            reads={guide.reads}
            busy={create.isPending}
            error={create.error}
            onStart={(dryRun) => start(since, dryRun)}
          />
        )}
        {mayChange && <AccessToken endpoint={endpoint} guide={guide} />}
      </Part>
      {list.error && <ProblemPage error={list.error} retry={list.refetch} />}
      {own && (
        <EarlierReconciliations
          runs={own}
          openId={shownId}
          onOpen={(id) => {
            create.reset();
            open(id);
          }}
        />
      )}
    </div>
  );
}

function Purpose({ endpoint: { processor, hasAccessToken }, mayChange }: { endpoint: Endpoint; mayChange: boolean }) {
  return (
    <p className="text-sm text-muted-foreground">
      Compares what {PROCESSOR_NAMES[processor]} says happened with the deliveries that arrived, and books what is
      missing.
      {!hasAccessToken && ' Refbridge needs an access token for it'}
      {!hasAccessToken && (mayChange ? '.' : ', which owners and members can set.')}
    </p>
  );
}
