import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attribute } from '../../src/payments/attribute.ts';
import { attributeDuePayments } from '../../src/payments/attribute-due.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { lead } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, identified, received } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { rounds } from '../helpers/rounds.ts';

/** Stories take a tenth of a second on PostgreSQL. */
const STORIES = { sqlite: 200, postgres: 30 };
const OCTOBER = Date.UTC(2026, 9, 1);
const NOBODY = { customer: 0, subscription: 0, email: 0, isNamed: false };

/** Which of a few ids a report names, 0 for none, and whether it names the customer of the lead. */
const person = fc
  .record({
    customer: fc.nat({ max: 3 }),
    subscription: fc.nat({ max: 4 }),
    email: fc.nat({ max: 3 }),
    isNamed: fc.nat({ max: 9 }).map((n) => n === 0),
  })
  .filter((ids) => Object.values(ids).some(Boolean));
type Person = typeof NOBODY;

const step = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('payment'), person, at: fc.nat({ max: 1_000_000 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('report'), person, at: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'job', person: NOBODY, at: 0 }) },
);
const story = fc.record({ steps: fc.array(step, { minLength: 40, maxLength: 120 }), leadAfter: fc.nat({ max: 120 }) });

const hintsOf = ({ customer, subscription, email, isNamed }: Person) =>
  hints({
    ...(isNamed ? { externalId: 'mia' } : {}),
    processorCustomerId: customer === 0 ? null : `cus_${customer}`,
    subscriptionId: subscription === 0 ? null : `sub_${subscription}`,
    email: email === 0 ? null : `mia${email}@example.com`,
  });

describe.each(engines)('parked payments, more than one unit attributes, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  /** The parked payments to which somebody is known now. */
  async function attributable({ accountId }: ReferredAccount): Promise<string[]> {
    const { database, clock } = app.service;
    const sql = `SELECT p.id, p.fact FROM payments p WHERE p.account_id || '' = @accountId AND p.state = 'parked'`;
    const parked = await database.read((tx) => tx.all<{ id: string; fact: string }>(sql, { accountId }));
    const found: string[] = [];
    for (const { id, fact } of parked) {
      const scope = { accountId, processor: 'stripe', now: clock() } as const;
      const { match } = await database.write((tx) => attribute(tx, scope, JSON.parse(fact)), { alone: true });
      if (match !== null) found.push(id);
    }
    return found;
  }

  it('all become sales whose customer becomes known, whatever they and other reports name', async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ steps, leadAfter }) => {
        const account = await createReferredAccount(app.service, { emailMatching: true });
        for (const [index, { kind, person: who, at }] of steps.entries()) {
          if (index === leadAfter) await lead(app, account);
          if (kind === 'job') await attributeDuePayments(app.service);
          else {
            const isPayment = kind === 'payment';
            const payment = () => received([`in_${index}`], hintsOf(who), { occurredAt: OCTOBER + at });
            await applyFacts(app.service, account.accountId, isPayment ? payment() : identified(hintsOf(who)));
          }
        }
        if (leadAfter >= steps.length) await lead(app, account);
        await attributeDuePayments(app.service);
        await requireAgreement(app.service, account.accountId);
        expect(await attributable(account)).toEqual([]);
      }),
      { numRuns: rounds(STORIES[engine]) },
    );
  });
});
