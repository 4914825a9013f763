import { createHash } from 'node:crypto';
import type { Adapter, DeliveryRequest } from '../../adapters/contract/adapter.ts';
import { declarations } from '../../adapters/settings.ts';
import { BoundedCache } from '../app/bounded-cache.ts';
import type { Page } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import { notFound } from '../errors.ts';
import { hasSecrets } from './endpoint-secrets.ts';
import { type Endpoint, findEndpoint } from './queries/endpoints.ts';
import { countRefusal, deleteRefusal, findRefusals, type RefusalRow } from './queries/refusals.ts';
import { adviceFor, refusalCauseOf } from './refusal-cause.ts';
import type { RefusalResource } from './refusal-schemas.ts';

/**
 * The maximum number of kinds of reasons kept per endpoint. Adapters have about ten; the limit holds whatever they
 * report.
 */
const KINDS_MAX = 20;

/**
 * Anybody can send a bad signature. An endpoint therefore causes at most one write in this time, and one kind of reason
 * even fewer.
 */
const PAUSE_MS = 2_000;
const PAUSE_OF_KIND_MS = 10_000;

/** The event type is in the body, which is read only if that is cheap. */
const READ_BYTES_MAX = 65_536;
const EVENT_TYPE = /^[\w.:/-]{1,80}$/;
const HEADER_NAME = /^[a-z0-9-]{1,60}$/;
const HEADER_NAMES_MAX = 50;

const pauses = (maxAgeMs: number) => (service: Service) =>
  new BoundedCache<string, true>({ entriesMax: 1_000, maxAgeMs, clock: service.clock });
const createPauses = pauses(PAUSE_MS);
const createPausesOfKinds = pauses(PAUSE_OF_KIND_MS);

/**
 * Records why a delivery was refused, for the operator: the reason, the header names and the event type, but no header
 * values, body or address. Returns at once and writes rarely, so that refusing stays cheap.
 */
export function noteRefusal(service: Service, endpoint: Endpoint, request: DeliveryRequest, reason: string): void {
  const kind = kindOf(reason);
  const pausesOfEndpoints = service.state(createPauses);
  const pausesOfKinds = service.state(createPausesOfKinds);
  const ofKind = `${endpoint.id} ${kind}`;
  if (pausesOfEndpoints.get(endpoint.id) || pausesOfKinds.get(ofKind)) return;
  pausesOfEndpoints.set(endpoint.id, true);
  pausesOfKinds.set(ofKind, true);
  keepRefusal(service, endpoint, request, { kind, reason }).catch((error: unknown) =>
    service.log.debug({ err: error, endpointId: endpoint.id }, 'could not store a refusal'),
  );
}

async function keepRefusal(
  service: Service,
  endpoint: Endpoint,
  request: DeliveryRequest,
  { kind, reason }: Pick<RefusalRow, 'kind' | 'reason'>,
): Promise<void> {
  const { id: endpointId, accountId, processor } = endpoint;
  const adapter = await service.adapterFor(processor);
  const { signature } = declarations[processor];
  const refusal = {
    accountId,
    endpointId,
    kind,
    cause: refusalCauseOf({ hasSecret: hasSecrets(endpoint), headers: request.headers, signature, reason }),
    reason,
    eventType: eventTypeOf(adapter, request),
    headerNames: JSON.stringify(headerNamesOf(request)),
    refusedAt: service.clock(),
  };
  await service.database.write(
    async (tx) => {
      await countRefusal(tx, refusal);
      const oldest = newestFirst(await findRefusals(tx, accountId, endpointId)).slice(KINDS_MAX);
      for (const { kind: old } of oldest) await deleteRefusal(tx, accountId, endpointId, old);
    },
    { alone: true },
  );
}

/**
 * Why deliveries to this endpoint were refused, one item per kind of reason, latest first; at most 20.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export async function listRefusals(service: Service, accountId: AccountId, id: string): Promise<Page<RefusalResource>> {
  const { endpoint, rows } = await service.database.read(async (tx) => ({
    endpoint: await findEndpoint(tx, accountId, id),
    rows: await findRefusals(tx, accountId, id),
  }));
  if (endpoint === undefined) throw notFound('webhook endpoint', id);
  const { signature } = declarations[endpoint.processor];
  const data = newestFirst(rows).map(({ cause, reason, eventType, count, ...row }) => ({
    cause,
    reason,
    advice: adviceFor(cause, reason, signature),
    eventType,
    headerNames: JSON.parse(row.headerNames) as string[],
    count,
    firstRefusedAt: isoTime(row.firstRefusedAt),
    lastRefusedAt: isoTime(row.lastRefusedAt),
  }));
  return { data, nextCursor: null };
}

function newestFirst(rows: readonly RefusalRow[]): RefusalRow[] {
  return rows.toSorted((a, b) => b.lastRefusedAt - a.lastRefusedAt);
}

/** Reasons that differ only in their numbers, such as the age of a signature, are one kind. */
function kindOf(reason: string): string {
  return createHash('sha256').update(reason.replaceAll(/\d+/g, '0')).digest('base64url').slice(0, 22);
}

/** The event type in an unverified body, if it looks like one. */
function eventTypeOf(adapter: Adapter, request: DeliveryRequest): string | null {
  if (request.rawBody.length > READ_BYTES_MAX) return null;
  try {
    const { eventType } = adapter.read(request);
    return eventType !== null && EVENT_TYPE.test(eventType) ? eventType : null;
  } catch {
    // adapters promise not to throw only for verified bytes
    return null;
  }
}

function headerNamesOf({ headers }: DeliveryRequest): string[] {
  return Object.keys(headers)
    .filter((name) => HEADER_NAME.test(name))
    .sort()
    .slice(0, HEADER_NAMES_MAX);
}
