import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { rounds } from '../helpers/rounds.ts';
import { createEndpoint, type EndpointUnderTest } from '../helpers/story.ts';
import { chargeRefunded, checkoutCompleted, customerUpdated, invoicePaid } from '../helpers/stripe-payloads.ts';

/** Texts and numbers that databases and JSON treat differently. */
const oddValue = fc.constantFrom<unknown>(
  'with \0 inside',
  '\0',
  '\ud800',
  '',
  ' ',
  'x'.repeat(10_000),
  '__proto__',
  null,
  -1,
  0.5,
  9_007_199_254_740_992,
  1e308,
  {},
  [],
  true,
);

const RUNS = { sqlite: rounds(600), postgres: rounds(200) };

describe.each(engines)('signed deliveries with odd values, on %s', (engine) => {
  let app: TestApp;
  let stripe: EndpointUnderTest;
  beforeAll(async () => {
    app = await createTestApp(engine);
    stripe = await createEndpoint(app, 'stripe');
  });
  afterAll(() => app.close());

  it('are stored and answered 200, never failed: nonsense is unknown', async () => {
    const events = [
      () => checkoutCompleted({ externalId: 'mia', customer: 'cus_mia' }),
      () => invoicePaid({ externalId: 'mia', customer: 'cus_mia', subscription: 'sub_mia', tax: 100 }),
      () => chargeRefunded('pi_mia', 2_000, 1_000),
      () => customerUpdated('cus_mia', 'mia', 'mia@example.com'),
    ];
    const places = events.flatMap((create) => pathsOf(create()).map((path) => ({ create, path })));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), oddValue, async ({ create, path }, value) => {
        const event = create();
        put(event, path, value);
        const answer = await stripe.deliver(event);
        expect([path.join('.'), answer.status]).toEqual([path.join('.'), 200]);
        expect([path.join('.'), answer.body]).not.toEqual([path.join('.'), { received: true, outcome: 'failed' }]);
      }),
      { numRuns: RUNS[engine] },
    );
    const { body } = await app.call('GET', '/api/deliveries?status=failed');
    expect(body.data).toEqual([]);
  });
});

type Node = Record<string, unknown>;

/** The path of every member at every level. */
function pathsOf(node: unknown, above: string[] = []): string[][] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, child]) => [[...above, key], ...pathsOf(child, [...above, key])]);
}

function put(root: unknown, path: string[], value: unknown): void {
  const [last = '', ...above] = path.toReversed();
  const parent = above.toReversed().reduce<unknown>((node, key) => (node as Node)[key], root) as Node;
  parent[last] = value;
}
