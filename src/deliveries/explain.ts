import { createHash } from 'node:crypto';
import type { Adapter, DeliveryRequest } from '../../adapters/contract/adapter.ts';
import { jsonInTurns } from '../app/json-object.ts';
import type { Service, UnreadDelivery } from '../app/service.ts';
import type { Interpreted } from '../core/delivery.ts';
import type { AccountId } from '../core/ids.ts';
import { isTemporary, messageOf, validationError } from '../errors.ts';
import { createId } from '../ids.ts';
import { isKnownDelivery } from '../inbox/store-once.ts';
import { applyAndExplain, type ExplainedEffect, NO_SALE } from '../payments/explain.ts';
import type { Transaction } from '../storage/database.ts';
import { requireEndpoint, requireEndpointOrDeleted } from './endpoints.ts';
import type { ExplainInput, Explanation } from './explain-schemas.ts';
import { readInTurn } from './interpret.ts';
import type { Endpoint } from './queries/endpoints.ts';
import { scopeOf } from './store.ts';

/** Ends the unit of work so that it stores nothing, and carries the observed effect. */
class Explained extends Error {
  readonly effect: ExplainedEffect;

  constructor(effect: ExplainedEffect) {
    super('Nothing of an explanation is stored');
    this.effect = effect;
  }
}

/**
 * Explains what a delivery would become, without checking a signature. Processes it like a delivery that arrives now,
 * in a unit of work that is rolled back.
 *
 * @throws ServiceError `NOT_FOUND` for the endpoint; `VALIDATION_ERROR` when the endpoint belongs to another processor;
 * `UNAVAILABLE`
 */
export async function explainDelivery(
  service: Service,
  accountId: AccountId,
  { processor, endpointId, asNew, body, headers }: ExplainInput,
): Promise<Explanation> {
  const adapter = await service.adapterFor(processor);
  const find = asNew ? requireEndpointOrDeleted : requireEndpoint;
  const endpoint = endpointId === null ? null : await service.database.read((tx) => find(tx, accountId, endpointId));
  if (endpoint !== null && endpoint.processor !== processor) {
    throw validationError([
      { path: 'endpointId', message: `is an endpoint of ${endpoint.processor}, not ${processor}` },
    ]);
  }
  const request = { rawBody: await bytesOf(body), headers: lowerCaseNames(headers ?? {}) };
  const { deliveryKey, eventType, interpreted } = await readUnsigned(service, adapter, endpoint, request);
  const scope = scopeOf(
    { id: createId('dlv'), accountId, processor, endpointId: endpoint?.id ?? null },
    service.parkedDays,
    service.clock(),
  );
  const explain = async (tx: Transaction): Promise<ExplainedEffect> => {
    const isKnown = endpoint !== null && !asNew && (await isKnownDelivery(tx, endpoint.id, deliveryKey));
    if (isKnown) return effectOf('duplicate', KNOWN);
    if (interpreted.failure !== null) return effectOf('failed', interpreted.failure);
    throw new Explained(await applyAndExplain(tx, scope, interpreted.interpretation));
  };
  // runs alone, because it throws after writing, which rolls back everything in the same transaction
  const effect = await service.database.write(explain, { alone: true }).catch(effectOfFailure);
  const { saleId: _nobodySeesIt, customerId: _, clickId: __, ...shown } = effect;
  return { deliveryKey, eventType, facts: factsOf(interpreted), ...shown };
}

const KNOWN = 'this delivery is known';

/** An error of ours would make the delivery `failed`. A database error would not, so it is thrown again. */
function effectOfFailure(error: unknown): ExplainedEffect {
  if (error instanceof Explained) return error.effect;
  if (isTemporary(error)) throw error;
  return effectOf('failed', messageOf(error));
}

function effectOf(outcome: ExplainedEffect['outcome'], reason: string): ExplainedEffect {
  const nothing = { attribution: null, ...NO_SALE, commissionAmount: null, currency: null };
  return { outcome, reason, saleId: null, ...nothing };
}

async function readUnsigned(
  service: Service,
  adapter: Adapter,
  endpoint: Pick<Endpoint, 'settings' | 'programId'> | null,
  request: DeliveryRequest,
) {
  const { settings, programId } = endpoint ?? { settings: adapter.settings.parse({}), programId: null };
  const digest = createHash('sha256').update(request.rawBody).digest('hex');
  const unread: UnreadDelivery = {
    ...request,
    processor: adapter.processor,
    settings,
    programId,
    verification: null,
    keyIfMissing: digest,
  };
  const { deliveryKey, ...read } = await readInTurn(service, adapter, unread);
  return { ...read, deliveryKey: deliveryKey ?? digest };
}

function factsOf({ interpretation }: Interpreted): Record<string, unknown>[] {
  return interpretation?.kind === 'facts' ? interpretation.facts.map((fact) => ({ ...fact })) : [];
}

async function bytesOf(body: ExplainInput['body']): Promise<Buffer> {
  try {
    return Buffer.from(typeof body === 'string' ? body : await jsonInTurns(body));
  } catch {
    throw validationError([{ path: 'body', message: 'is nested too deeply; send it as text' }]);
  }
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
