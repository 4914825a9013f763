import { describe, expect, it } from 'vitest';
import { adapters } from '../../adapters/index.ts';
import type { Service } from '../../src/app/service.ts';
import { applyOverrides, parseOverride } from '../../src/cli/replay/overrides.ts';
import type { Processor } from '../../src/core/processor.ts';
import { interpretDelivery, readInTurn } from '../../src/deliveries/interpret.ts';
import { loadFixtures } from '../adapters/fixtures.ts';

/** Interprets a fixture with overridden values, as a verified delivery of its processor. */
async function interpreted(processor: Processor, name: string, ...overrides: string[]) {
  const adapter = await adapters[processor]();
  const fixture = (await loadFixtures(processor)).find((candidate) => candidate.name === name);
  if (fixture === undefined) throw new Error(`No fixture ${processor}/${name}`);
  const parsed = overrides.flatMap((text) => parseOverride(text) ?? []);
  const rawBody = applyOverrides(fixture.rawBody, parsed, { n: 1, round: 1, run: '' }, name);
  const headers = adapter.sign(rawBody, { secrets: ['whsec_1'], authorization: null }, Date.now(), fixture.eventType);
  const unread = { processor, rawBody, headers, settings: fixture.settings, programId: null, verification: null };
  return interpretDelivery(adapter, unread).interpreted.interpretation;
}

/** One unit above the limit of a sale, in currencies with two decimals. */
const TOO_MUCH = '10000000000.01';

describe('a list that is too long', () => {
  // biome-ignore lint/suspicious/noExplicitAny: payloads of several processors
  it.each<[Processor, string, (payload: Record<string, any>) => void]>([
    ['shopify', 'orders_paid', (order) => Object.assign(order, { discount_codes: codes(20_000) })],
    ['shopify', 'orders_paid', (order) => Object.assign(order, { refunds: codes(1_001) })],
    ['stripe', 'invoice.paid', ({ data }) => Object.assign(data.object, { discounts: codes(1_001) })],
  ])('makes a delivery of %s %s unknown, at once', async (processor, name, lengthen) => {
    const adapter = await adapters[processor]();
    const fixture = (await loadFixtures(processor)).find((candidate) => candidate.name.startsWith(name));
    const payload = JSON.parse(fixture?.rawBody.toString() ?? '');
    lengthen(payload);
    const rawBody = Buffer.from(JSON.stringify(payload));
    const headers = adapter.sign(
      rawBody,
      { secrets: ['whsec_1'], authorization: null },
      Date.now(),
      fixture?.eventType,
    );
    const settings = fixture?.settings ?? {};
    const { interpreted } = interpretDelivery(adapter, {
      processor,
      rawBody,
      headers,
      settings,
      programId: null,
      verification: null,
    });
    expect(interpreted.interpretation).toEqual({
      kind: 'unknown',
      reason: expect.stringMatching(/^The body has an unexpected form: [\w.]+: has \d+ entries, and 1000 are read$/),
    });
  });
});

it('makes a delivery unknown, without reading it, whose body would take long to read', async () => {
  const adapter = await adapters.stripe();
  const rawBody = Buffer.from(`{"id":"evt_1","type":"invoice.paid","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
  const unread: typeof adapter = { ...adapter, read: () => expect.unreachable('the body was read') };
  const delivery = {
    processor: 'stripe',
    rawBody,
    headers: {},
    settings: {},
    programId: null,
    verification: null,
  } as const;
  const reason = 'The body has an unexpected form: it has more than 100 levels of nesting';
  expect(interpretDelivery(unread, delivery)).toEqual({
    deliveryKey: null,
    eventType: null,
    interpreted: { interpretation: { kind: 'unknown', reason }, failure: null },
  });
});

const codes = (length: number) => Array.from({ length }, (_, n) => ({ code: `CODE${n}`, amount: '1.00' }));

describe('an amount above the limit of a sale', () => {
  it.each<[Processor, string, string[]]>([
    ['stripe', 'charge.refunded--partial', ['data.object.amount_refunded=1000000000001']],
    ['shopify', 'orders_paid', [`total_price="${TOO_MUCH}"`]],
    ['shopify', 'refunds_create', [`transactions.0.amount="${TOO_MUCH}"`]],
    ['shopify', 'disputes_create', [`amount="${TOO_MUCH}"`]],
    [
      'paddle',
      'transaction.completed--renewal',
      ['data.details.totals.grand_total="1000000000001"', 'data.details.totals.total="1000000000001"'],
    ],
    ['polar', 'order.paid--renewal', ['data.total_amount=1000000000001']],
    ['revenuecat', 'INITIAL_PURCHASE', [`event.price_in_purchased_currency=${TOO_MUCH}`]],
    ['revenuecat', 'CANCELLATION--refund', [`event.price_in_purchased_currency=-${TOO_MUCH}`]],
  ])('of %s %s is unknown and does not count', async (processor, name, overrides) => {
    expect(await interpreted(processor, name)).toMatchObject({ kind: 'facts' });
    expect(await interpreted(processor, name, ...overrides)).toMatchObject({
      kind: 'unknown',
      reason: expect.stringMatching(/^payment\.\w+: the (?:gross |cumulative )?amount is 10\d{11}, not from /),
    });
  });
});

describe('a body', () => {
  it.each([
    ['of 200 kB is interpreted elsewhere', 200_000, true],
    ['of usual size is interpreted at once', 0, false],
  ])('%s', async (_name, noteLength, isElsewhere) => {
    const adapter = await adapters.shopify();
    const fixture = (await loadFixtures('shopify')).find(({ name }) => name === 'orders_paid');
    const order = { ...JSON.parse(fixture?.rawBody.toString() ?? ''), note: 'x'.repeat(noteLength) };
    const rawBody = Buffer.from(JSON.stringify(order));
    const headers = adapter.sign(rawBody, { secrets: ['s'], authorization: null }, Date.now(), fixture?.eventType);
    const delivery = {
      processor: 'shopify',
      rawBody,
      headers,
      settings: {},
      programId: null,
      verification: null,
    } as const;
    const sentElsewhere: unknown[] = [];
    const readLarge: Service['readLarge'] = async (large) => {
      sentElsewhere.push(large);
      return interpretDelivery(adapter, large);
    };
    const result = await readInTurn({ readLarge } as Service, adapter, delivery);
    expect(result.interpreted.interpretation?.kind).toBe('facts');
    expect(sentElsewhere).toEqual(isElsewhere ? [delivery] : []);
  });
});
