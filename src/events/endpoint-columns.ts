import { EVENT_TYPES, type EventType } from '../core/event.ts';
import { isoTime, isoTimeOrNull } from '../core/time.ts';
import type { EventEndpoint, EventEndpointState } from './queries/endpoints.ts';
import type { EventEndpointInput, EventEndpointResource } from './schemas.ts';

const BY_HAND = 'disabled by hand';

/** The resource of an endpoint. */
export function asEventEndpoint(endpoint: EventEndpointState): EventEndpointResource {
  return {
    id: endpoint.id,
    url: endpoint.url,
    types: typesIn(endpoint.types),
    description: endpoint.description,
    enabled: endpoint.status === 'enabled',
    disabledReason: endpoint.disabledReason,
    disabledAt: isoTimeOrNull(endpoint.disabledAt),
    failingSince: isoTimeOrNull(endpoint.failingSince),
    lastSuccessAt: isoTimeOrNull(endpoint.lastSuccessAt),
    createdAt: isoTime(endpoint.createdAt),
  };
}

/** The columns that an input determines; an endpoint that stays disabled keeps the reason and the time. */
export function columnsOf(
  { url, types, description, enabled }: EventEndpointInput,
  before: EventEndpoint | null,
  now: number,
) {
  const columns = { url, types: typesText(types), description: description || null };
  if (enabled) return { ...columns, status: 'enabled' as const, disabledReason: null, disabledAt: null };
  const { disabledReason = null, disabledAt = null } = before ?? {};
  return {
    ...columns,
    status: 'disabled' as const,
    disabledReason: disabledReason ?? BY_HAND,
    disabledAt: disabledAt ?? now,
  };
}

/** The stored form of the types: each between two spaces. */
export function typesText(types: readonly EventType[]): string {
  return ` ${types.join(' ')} `;
}

/** The stored types that this version supports. */
function typesIn(text: string): EventType[] {
  return EVENT_TYPES.filter((type) => text.includes(` ${type} `));
}
