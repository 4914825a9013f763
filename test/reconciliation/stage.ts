import type { ReconciliationDetail } from '../../src/client/api-types.ts';
import { continueReconciliations } from '../../src/reconciliation/work.ts';
import { type Answer, createTestApp, type TestApp } from '../helpers/app.ts';
import type { Engine } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer } from '../helpers/story.ts';
import { createPast, type Past } from './past.ts';

const DAY_MS = 86_400_000;

/** A running service whose Stripe endpoint can be compared with a past that the test writes. */
export interface Stage {
  app: TestApp;
  past: Past;
  endpoint: EndpointUnderTest;
  referrer: Referrer;
  /** Added to the time of the service. */
  clock: { aheadMs: number };
  begin(body?: object): Promise<Answer>;
  /** Begins one and reads it to its end. */
  reconcile(body?: object): Promise<ReconciliationDetail>;
  get(id: string): Promise<ReconciliationDetail>;
}

export const since = (daysAgo = 7) => new Date(Date.now() - daysAgo * DAY_MS).toISOString();

export async function createStage(engine: Engine): Promise<Stage> {
  const past = await createPast();
  const clock = { aheadMs: 0 };
  const app = await createTestApp(engine, {
    service: { adapterFor: past.adapterFor, clock: () => Date.now() + clock.aheadMs },
  });
  const referrer = await createReferrer(app);
  const endpoint = await createEndpoint(app, 'stripe', { accessToken: 'rk_live_example' });
  const begin = (body: object = {}) =>
    app.call('POST', `/api/webhook-endpoints/${endpoint.id}/reconcile`, { body: { since: since(), ...body } });
  const get = async (id: string) => (await app.call('GET', `/api/reconciliations/${id}`)).body;
  return {
    app,
    past,
    endpoint,
    referrer,
    clock,
    begin,
    async reconcile(body) {
      const { status, body: begun, text } = await begin(body);
      if (status !== 202) throw new Error(text);
      await continueReconciliations(app.service);
      return get(begun.id);
    },
    get,
  };
}

/** Writes another past; the endpoint and what is stored stay. */
export function write(past: Past, ...payloads: object[]): void {
  Object.assign(past, {
    payloads,
    pageSize: 2,
    requests: [],
    before: () => undefined,
    isBroken: false,
    nextOf: undefined,
  });
}
