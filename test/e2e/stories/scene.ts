import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { EndpointSecrets } from '../../../adapters/contract/adapter.ts';
import { applyOverrides, parseOverride } from '../../../src/cli/replay/overrides.ts';
import type { Processor } from '../../../src/core/processor.ts';
import { getEndpointSecrets } from '../../../src/deliveries/endpoints.ts';
import { type Fixture, loadFixtures } from '../../adapters/fixtures.ts';
import { type Answer, createTestApp, type TestApp } from '../../helpers/app.ts';
import type { Engine } from '../../helpers/databases.ts';
import { listAll } from '../../helpers/list-all.ts';
import { createReferrer, type Referrer } from '../../helpers/story.ts';

/** The stage of a story told in fixtures: a running service, a referring partner, and an endpoint of one processor. */
export interface Scene {
  app: TestApp;
  referrer: Referrer;
  endpointId: string;
  /**
   * Delivers a fixture over HTTP, with `path=value` overrides as in `refbridge replay`; returns the outcome and the
   * reason that the API shows afterwards: `sale`, `noted: a refund that waits for its payment`, `duplicate: seen
   * before`.
   */
  deliver(name: string, ...overrides: string[]): Promise<string>;
  /** As `deliver`, with another topic, which Shopify sends in a header. */
  deliverAs(eventType: string, name: string, ...overrides: string[]): Promise<string>;
  /** Every sale by its invoice, as both the API and the ledger show it: `4900 usd earns 980, 320 reversed`. */
  books(): Promise<Record<string, string>>;
  /** How many deliveries are stored. */
  deliveryCount(): Promise<number>;
}

export async function createScene(
  engine: Engine,
  processor: Processor,
  settings: Record<string, unknown> = {},
): Promise<Scene> {
  const app = await createTestApp(engine);
  const referrer = await createReferrer(app);
  const secret = `whsec_${randomBytes(16).toString('hex')}`;
  const created = await app.call('POST', '/api/webhook-endpoints', {
    body: { processor, secrets: [secret], ...settings },
  });
  expect(created.status).toBe(201);
  const { id: endpointId, url } = created.body;
  const secrets = await getEndpointSecrets(app.service, app.accountId, endpointId);
  const fixtures = new Map((await loadFixtures(processor)).map((fixture) => [fixture.name, fixture]));
  const newest = async () => (await app.call('GET', '/api/deliveries?limit=1')).body.data[0];

  async function deliverAs(eventType: string | null, name: string, overrides: readonly string[]): Promise<string> {
    const fixture = fixtures.get(name);
    if (fixture === undefined) throw new Error(`There is no fixture ${processor}/${name}.json`);
    const before = await newest();
    const altered = {
      ...fixture,
      eventType: eventType ?? fixture.eventType,
      rawBody: withOverrides(fixture, overrides),
    };
    const answer = await postFixture(app, { url, processor }, altered, secrets);
    expect(answer.status).toBe(200);
    const delivery = await newest();
    if (delivery.id === before?.id) return `${answer.body.outcome}: seen before`;
    expect(delivery).toMatchObject({ endpointId, processor, outcome: answer.body.outcome });
    const { outcome, reason } = delivery;
    return reason === null ? outcome : `${outcome}: ${reason.replaceAll(/sal_\w+/g, 'sal_…')}`;
  }

  return {
    app,
    referrer,
    endpointId,
    deliver: (name, ...overrides) => deliverAs(null, name, overrides),
    deliverAs: (eventType, name, ...overrides) => deliverAs(eventType, name, overrides),
    books: () => readBooks(app, referrer.partnerId),
    deliveryCount: async () => (await listAll(app, '/api/deliveries')).length,
  };
}

/** Posts a fixture's bytes, signed with the first of `secrets`. */
export async function postFixture(
  app: TestApp,
  { url, processor }: { url: string; processor: Processor },
  { rawBody, eventType, headers }: Fixture,
  secrets: EndpointSecrets,
): Promise<Answer> {
  const adapter = await app.service.adapterFor(processor);
  const signed = adapter.sign(rawBody, secrets, Date.now(), eventType);
  return app.call('POST', new URL(url).pathname, {
    key: null,
    body: rawBody,
    headers: { ...signed, ...headers },
  });
}

function withOverrides({ rawBody, name }: Fixture, overrides: readonly string[]): Buffer {
  const parsed = overrides.map((text) => {
    const override = parseOverride(text);
    if (override === null) throw new Error(`Not path=value: ${text}`);
    return override;
  });
  return applyOverrides(rawBody, parsed, { n: 1, round: 1, run: '' }, name);
}

/** Also asserts that each sale agrees with its ledger entries, and that the partner's ledger contains nothing else. */
async function readBooks(app: TestApp, partnerId: string): Promise<Record<string, string>> {
  const books: Record<string, string> = {};
  let earned = 0;
  for (const { id } of await listAll(app, '/api/sales')) {
    const { body: sale } = await app.call('GET', `/api/sales/${id}`);
    const entries = await listAll(app, `/api/ledger?saleId=${id}`);
    const sumOf = (...kinds: string[]) =>
      entries.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { amount }) => sum + amount, 0);
    const reversed = 0 - sumOf('reversal');
    const held = 0 - sumOf('dispute_hold', 'dispute_release');
    expect([sale.commissionAmount, sale.reversedCommissionAmount]).toEqual([
      sumOf('commission', 'adjustment'),
      reversed,
    ]);
    expect(sale.partnerId).toBe(partnerId);
    earned += sale.commissionAmount - reversed - held;
    books[sale.invoiceId] = [
      `${sale.amount} ${sale.currency} earns ${sale.commissionAmount}`,
      ...(reversed === 0 ? [] : [`${reversed} reversed`]),
      ...(held === 0 ? [] : [`${held} held`]),
      ...(['refunded', 'disputed'].includes(sale.status) ? [sale.status] : []),
    ].join(', ');
  }
  const ledger = await listAll(app, `/api/ledger?partnerId=${partnerId}`);
  expect(ledger.reduce((sum, { amount }) => sum + amount, 0)).toBe(earned);
  return books;
}
