import type { DeliveryRequest } from '../../adapters/contract/adapter.ts';
import { requireEndpoint } from '../../src/deliveries/endpoints.ts';
import { readBackfilled } from '../../src/deliveries/job.ts';
import { storeIfMissing } from '../../src/deliveries/store-missing.ts';
import type { TestApp } from './app.ts';

/** Stores a delivery that an adapter made of what the API lists, as a reconciliation does; returns what became of it. */
export async function storeReadBack(
  { service, accountId }: Pick<TestApp, 'service' | 'accountId'>,
  endpointId: string,
  request: DeliveryRequest,
): Promise<string> {
  const endpoint = await service.database.read((tx) => requireEndpoint(tx, accountId, endpointId));
  const adapter = await service.adapterFor(endpoint.processor);
  const job = await readBackfilled(service, { adapter, endpoint, request });
  const taken = await storeIfMissing(service.database, job, {
    isDryRun: false,
    findEarlier: async () => [],
    note: async () => undefined,
  });
  return taken.kind === 'missing' ? taken.missing.outcome : taken.kind;
}
