import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backfillKey } from '../../adapters/contract/backfill.ts';
import type { CustomerHints } from '../../src/core/facts.ts';
import { PROCESSORS, type Processor } from '../../src/core/processor.ts';
import { requireEndpoint } from '../../src/deliveries/endpoints.ts';
import { readBackfilled } from '../../src/deliveries/job.ts';
import { type StoredIfMissing, storeIfMissing } from '../../src/deliveries/store-missing.ts';
import { type Fixture, loadFixtures } from '../adapters/fixtures.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { hashTables } from '../helpers/end-state.ts';
import { createReferrer } from '../helpers/story.ts';

function externalIdsIn({ interpretation }: Fixture): string[] {
  const facts = interpretation.kind === 'facts' ? interpretation.facts : [];
  return facts.flatMap((fact) => {
    const customer = 'customer' in fact ? (fact.customer as CustomerHints | undefined) : undefined;
    return customer?.externalIds.map(({ value }) => value) ?? [];
  });
}

/** An endpoint of one processor in an account of its own, and the fixtures that it can be sent. */
async function createReceiver(app: TestApp, processor: Processor) {
  const fixtures = await loadFixtures(processor);
  const referrer = await createReferrer(app);
  for (const externalId of new Set(fixtures.flatMap(externalIdsIn).slice(0, 3))) await referrer.lead(externalId);
  const { id } = (await app.call('POST', '/api/webhook-endpoints', { body: { processor } })).body;
  const adapter = await app.service.adapterFor(processor);
  const secrets = { secrets: ['whsec_example'], authorization: 'Bearer example' };
  return {
    fixtures,
    /** The job that stores a fixture, as if the processor's API had listed it. */
    async jobOf(fixture: Fixture, deliveryKey?: string) {
      await app.call('PATCH', `/api/webhook-endpoints/${id}`, { body: fixture.settings });
      const endpoint = await app.service.database.read((tx) => requireEndpoint(tx, app.accountId, id));
      const signed = adapter.sign(fixture.rawBody, secrets, Date.now(), fixture.eventType);
      const request = { rawBody: fixture.rawBody, headers: { ...signed, ...fixture.headers } };
      const job = await readBackfilled(app.service, { adapter, endpoint, request });
      return deliveryKey === undefined ? job : { ...job, isRecord: true, received: { ...job.received, deliveryKey } };
    },
  };
}

const keyOf = ({ name, eventType }: Fixture) => backfillKey(eventType, name);
const NOTHING = { isDryRun: true, findEarlier: async () => [], note: async () => undefined };

function shown(taken: StoredIfMissing): string {
  return taken.kind === 'missing' ? taken.missing.outcome : taken.kind;
}

describe.each(engines)('a delivery that may be missing, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  it.each(PROCESSORS)('is known after every delivery of %s that said the same under another key', async (processor) => {
    const { fixtures, jobOf } = await createReceiver(app, processor);
    const { database } = app.service;
    const outcomes = new Set<string>();
    for (const fixture of fixtures) {
      const job = await jobOf(fixture);
      const { isReadBack: _, ...delivered } = job.received;
      const { outcome } = await app.service.storeDelivery({ ...job, received: delivered });
      const taken = await storeIfMissing(database, await jobOf(fixture, keyOf(fixture)), NOTHING);
      const kind = job.interpreted.interpretation?.kind;
      const expected = kind === 'facts' ? 'known' : kind;
      expect([fixture.name, shown(taken)]).toEqual([fixture.name, expected]);
      outcomes.add(outcome);
    }
    expect(outcomes.size).toBeGreaterThan(2);
  });

  it.each(PROCESSORS)('of %s says in a dry run what it then becomes, and is known from then on', async (processor) => {
    const { fixtures, jobOf } = await createReceiver(app, processor);
    const { database } = app.service;
    let noted = 0;
    const real = {
      isDryRun: false,
      findEarlier: async () => [],
      note: async () => {
        noted += 1;
      },
    };
    let missing = 0;
    for (const fixture of fixtures) {
      const key = keyOf(fixture);
      const before = await hashTables(database);
      const told = shown(await storeIfMissing(database, await jobOf(fixture, key), NOTHING));
      expect(await hashTables(database)).toEqual(before);
      const became = await storeIfMissing(database, await jobOf(fixture, key), real);
      expect([fixture.name, shown(became)]).toEqual([fixture.name, told]);
      if (became.kind === 'missing') missing += 1;
      const again = shown(await storeIfMissing(database, await jobOf(fixture, key), real));
      expect([fixture.name, again]).toEqual([fixture.name, told === 'ignored' ? told : 'known']);
    }
    expect(noted).toBe(missing);
    expect(missing).toBeGreaterThan(2);
  });
});
