import type { Answer } from '../../../parts/api.ts';
import { Badge } from '../../../parts/badge.tsx';

type Endpoint = Answer<'getWebhookEndpoint'>;

/** Whether the endpoint can verify who sends its deliveries; until then, every delivery is refused. */
export function canVerify({ secretCount, hasAuthorization }: Endpoint): boolean {
  return secretCount > 0 || hasAuthorization;
}

export function EndpointState({ endpoint }: { endpoint: Endpoint }) {
  if (!canVerify(endpoint)) return <Badge tone="warn">Needs a secret</Badge>;
  if (endpoint.lastDeliveryAt === null) return <Badge tone="accent">Waiting for a delivery</Badge>;
  return <Badge tone="good">Receiving</Badge>;
}
