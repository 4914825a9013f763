import { expect } from 'vitest';
import type { Answer, TestApp } from '../../helpers/app.ts';
import type { Cast } from './cast.ts';
import { get } from './read.ts';
import { allOf, type Row } from './rows.ts';

/** One webhook of the cast's endpoint. */
export interface Webhook {
  rawBody: Buffer;
  headers: Record<string, string>;
}

const KNOWN = 'this delivery is known';
/** Ids that an explanation invents. */
const NEW_IDS = /(sal|pmt)_\w+/g;

/** Delivers a webhook that was explained before: what happens must be what was said, and is known from then on. */
export async function deliverExplained({ app, webhook }: Cast, { rawBody, headers }: Webhook): Promise<Answer> {
  const input = { processor: 'stripe', endpointId: webhook.id, body: rawBody.toString(), headers };
  const explain = async (): Promise<Row> => (await app.call('POST', '/api/explain', { body: input })).body;
  const before = new Set(
    [...(await allOf(app, '/api/ledger')), ...(await allOf(app, '/api/parked-payments'))].map(({ id }) => id),
  );
  const told = await explain();
  const answer = await app.call('POST', webhook.path, { key: null, body: rawBody, headers });
  expect(told.outcome).toBe(answer.body.outcome);
  const added = (await allOf(app, '/api/ledger')).filter(({ id }) => !before.has(id));
  const theirs = added.filter(({ partnerId, currency }) => partnerId === told.partnerId && currency === told.currency);
  const sum = told.partnerId === null ? null : theirs.reduce((total, { amount }) => total + amount, 0);
  expect({ ...told, commissionAmount: sum }).toEqual(told);
  if (told.partnerId === null) expect(added).toEqual([]);
  const [{ id }] = (await get(app, '/api/deliveries?limit=1')).body.data;
  const delivery = (await get(app, `/api/deliveries/${id}`)).body;
  if (told.reason !== KNOWN) {
    const withoutIds = (text: string | null) => text?.replaceAll(NEW_IDS, 'id') ?? null;
    expect([told.deliveryKey, told.eventType, withoutIds(told.reason)]).toEqual([
      delivery.eventId,
      delivery.eventType,
      withoutIds(delivery.reason),
    ]);
    await checkTrace(app, told, { saleId: delivery.saleId, before });
  }
  expect(await explain()).toMatchObject({ outcome: 'duplicate', reason: KNOWN, facts: told.facts });
  return answer;
}

/** The trace that was told is that of the sale, or of the payment that was parked and was not there before. */
async function checkTrace(
  app: TestApp,
  told: Row,
  { saleId, before }: { saleId: string | null; before: ReadonlySet<string> },
): Promise<void> {
  if (saleId !== null) {
    const { partnerId, partnerName, currency, attribution } = (await get(app, `/api/sales/${saleId}`)).body;
    expect(told).toMatchObject({ partnerId, partnerName, currency, attribution });
  } else if (told.attribution?.matchedBy === null) {
    const parked = await allOf(app, '/api/parked-payments');
    expect(parked.map(({ steps }) => steps)).toContainEqual(told.attribution.steps);
    const [{ netMinor: amount, grossMinor: grossAmount, currency, invoiceId, references }] = told.facts;
    const [added, ...others] = parked.filter(({ id }) => !before.has(id));
    expect([told.outcome, others]).toEqual([added === undefined ? told.outcome : 'unattributed', []]);
    if (added !== undefined) expect(added).toMatchObject({ amount, grossAmount, currency, invoiceId, references });
  } else expect(told.outcome).not.toBe('unattributed');
}
