import { Link } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { useRead } from '../../data/use-api.ts';
import { State } from '../../ui/state.tsx';
import { Time } from '../../ui/values.tsx';
import { OUTCOMES, PROCESSOR_NAMES } from '../../ui/words.ts';
import { canVerify } from './endpoint-state.tsx';
import { RefusalNote, useRefusals } from './refusals.tsx';

/** Waits for the first delivery, then shows the latest one. */
export function FirstDelivery({ endpoint }: { endpoint: Answer<'getWebhookEndpoint'> }) {
  const hasAny = endpoint.lastDeliveryAt !== null;
  const { data } = useRead('listDeliveries', { query: { endpointId: endpoint.id, limit: 1 } }, { enabled: hasAny });
  const newest = data?.data[0];
  const [refused] = useRefusals(endpoint.id, !hasAny);
  if (!canVerify(endpoint)) {
    return (
      <p className="text-sm text-muted-foreground">
        Until the secret is set, every delivery is refused with 401. Nothing is lost:{' '}
        {PROCESSOR_NAMES[endpoint.processor]} tries again.
      </p>
    );
  }
  if (!hasAny) {
    return (
      <div className="flex flex-col gap-2 text-sm text-muted-foreground">
        <p className="flex items-center gap-2" role="status">
          <span className="size-2 motion-safe:animate-pulse rounded-full bg-primary" aria-hidden="true" /> Waiting…
        </p>
        {refused === undefined || (canVerify(endpoint) && refused.cause === 'no_secret') ? (
          <p>Send a test event, or pay something in test mode. If something is wrong with it, this page says so.</p>
        ) : (
          <div role="status" className="text-foreground">
            <p className="mb-2">A delivery arrived and was refused:</p>
            <RefusalNote refusal={refused} isOpen />
          </div>
        )}
      </div>
    );
  }
  return (
    newest && (
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        <Link href={`/deliveries/${newest.id}`} className="text-primary hover:underline">
          {newest.eventType ?? 'Delivery'}
        </Link>
        <State of={OUTCOMES} state={newest.outcome} />
        <span className="text-muted-foreground">
          <Time iso={newest.receivedAt} />
        </span>
      </p>
    )
  );
}
