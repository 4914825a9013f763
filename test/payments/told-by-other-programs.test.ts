import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CustomerHints, Fact } from '../../src/core/facts.ts';
import type { ProgramId } from '../../src/core/ids.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, received, referenced, refunded } from '../helpers/facts.ts';
import { asId } from '../helpers/ids.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';

describe.each(engines)('a payment that is parked because its endpoint is for another program, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let otherProgram: ProgramId;
  let customer: string;
  let atProcessor: Partial<CustomerHints>;
  let ids: { kept: string; waiting: string; intent: string; subscriptionId: string; email: string };
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.UTC(2026, 10, 4) } });
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { emailMatching: true } });
    otherProgram = asId((await app.call('POST', '/api/programs', { body: { name: 'Second' } })).body.id);
  });
  beforeEach(async () => {
    customer = unique('user');
    atProcessor = { processorCustomerId: unique('cus') };
    const email = `${customer}@example.com`;
    ids = { kept: unique('in'), waiting: unique('in'), intent: unique('pi'), subscriptionId: unique('sub'), email };
    referrer = await createReferrer(app, { programId: app.programId });
    await referrer.lead(customer, { customerEmail: email });
  });
  afterAll(() => app.close());

  const tell = (...facts: Fact[]) => applyFacts(app.service, app.accountId, ...facts);
  const kept = (person: Parameters<typeof hints>[0]) =>
    received([ids.kept], hints(person), { onlyPrograms: [otherProgram] });
  /** A payment of the same customer of the processor, which any program may earn. */
  const waiting = () => received([ids.waiting], hints(atProcessor));

  const WAYS: Record<string, () => Fact[]> = {
    'when a later report of it names them': () => [
      kept(atProcessor),
      { ...referenced(ids.kept, ids.intent), customer: hints({ externalId: customer }) },
    ],
    'when a later announcement names them': () => [
      kept(atProcessor),
      { ...kept({ externalId: customer }), kind: 'payment.announced' },
    ],
    'when a refund joins it with what names them': () => [
      kept(atProcessor),
      { ...referenced(ids.intent), customer: hints({ externalId: customer }) },
      refunded([ids.kept, ids.intent], { refundId: unique('re'), amountMinor: 1_200 }),
    ],
    'when it has their address': () => [kept({ ...atProcessor, email: ids.email })],
    'when it joins their id and a subscription with their address': () => [
      received([unique('in')], hints({ subscriptionId: ids.subscriptionId, email: ids.email }), {
        onlyPrograms: [otherProgram],
      }),
      kept({ ...atProcessor, subscriptionId: ids.subscriptionId }),
    ],
  };

  describe.each(Object.entries(WAYS))('tells whose other payments are %s', (_way, factsOf) => {
    it.each(['before', 'after'])('and one that comes %s becomes a sale', async (time) => {
      const facts = factsOf();
      for (const fact of time === 'before' ? [waiting(), ...facts] : [...facts, waiting()]) await tell(fact);
      const { body } = await app.call('GET', `/api/sales?partnerId=${referrer.partnerId}`);
      expect(body.data).toMatchObject([{ invoiceId: ids.waiting, customer: { externalId: customer } }]);
      await requireAgreement(app.service, app.accountId);
    });
  });
});
