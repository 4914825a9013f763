import type { BackfillRequest, DeliveryRequest, EndpointSettings } from '../../adapters/contract/adapter.ts';
import { readPage } from '../../adapters/stripe/backfill.ts';
import stripe from '../../adapters/stripe/index.ts';
import type { Interpretation } from '../../src/core/facts.ts';
import { DEFAULT_SETTINGS } from './fixtures.ts';
import type { StripeApi } from './stripe-api.ts';
import { interpretPayload } from './stripe-events.ts';

export const ACCESS_TOKEN = 'rk_live_TheAccessTokenOfTheTests';

/** A request for the first page of what happened in November 2026. */
export function requestOf(api: Pick<StripeApi, 'url'>, fields: Partial<BackfillRequest> = {}): BackfillRequest {
  return {
    accessToken: ACCESS_TOKEN,
    settings: stripe.settings.parse({ apiUrl: api.url }),
    since: Date.UTC(2026, 10, 1),
    until: Date.UTC(2026, 10, 20),
    cursor: null,
    fetch: globalThis.fetch,
    signal: new AbortController().signal,
    ...fields,
  };
}

/** Reads every page, each as another process could. */
export async function readAll(
  api: Pick<StripeApi, 'url'>,
  fields: Partial<BackfillRequest> = {},
): Promise<DeliveryRequest[]> {
  const deliveries: DeliveryRequest[] = [];
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    const page = await readPage(requestOf(api, { ...fields, cursor }));
    deliveries.push(...page.deliveries);
    cursor = page.cursor;
    if (cursor !== null && seen.has(cursor)) throw new Error(`The reading is back at ${cursor}`);
    if (cursor !== null) seen.add(cursor);
  } while (cursor !== null);
  return deliveries;
}

/** Reads the records of a year, whose events have expired. */
export function readRecords(api: Pick<StripeApi, 'url'>): Promise<DeliveryRequest[]> {
  return readAll(api, { since: Date.UTC(2026, 4, 1), until: Date.UTC(2027, 3, 1) });
}

export function interpretDelivery(
  delivery: DeliveryRequest | undefined,
  settings: EndpointSettings = DEFAULT_SETTINGS,
): Interpretation {
  if (delivery === undefined) throw new Error('Nothing was delivered');
  return interpretPayload(JSON.parse(delivery.rawBody.toString()), settings);
}
