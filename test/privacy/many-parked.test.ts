import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { markOf } from '../../src/app/person-marks.ts';
import { createService, type Service } from '../../src/app/service.ts';
import { addMark } from '../../src/inbox/marks.ts';
import { eraseMentionedIdentities } from '../../src/payments/erasure/erase-identities.ts';
import { eraseRemaining } from '../../src/payments/erasure/erase-rest.ts';
import { eraseCustomer } from '../../src/privacy/customers.ts';
import type { Database } from '../../src/storage/database.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, identified, received, referenced } from '../helpers/facts.ts';
import { unique } from '../helpers/story.ts';
import { placesOf } from './places-of.ts';
import { sweep } from './sweep.ts';

const PARKED = 120;
const PAYMENTS_PER_UNIT_MAX = 50;

describe.each(engines)('erasing a person with many parked payments, on %s', (engine) => {
  let app: TestApp;
  let account: ReferredAccount;
  let person: { externalId: string; email: string; processorCustomerId: string; name: string };
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  beforeEach(async () => {
    account = await createReferredAccount(app.service);
    const externalId = unique('user');
    const name = `Name of ${externalId}.`;
    person = { externalId, email: `${externalId}@example.com`, processorCustomerId: unique('cus'), name };
  });
  afterAll(() => app.close());

  const tell = (...facts: Parameters<typeof applyFacts>[2][]) => applyFacts(app.service, account.accountId, ...facts);
  const named = async () => {
    const places = await placesOf(app.service.database, person.name);
    return places.filter((place) => place.startsWith('payments.fact')).length;
  };
  const stored = async () => [
    ...(await placesOf(app.service.database, person.name)),
    ...(await placesOf(app.service.database, person.email)),
  ];

  async function park(payer: Partial<typeof person>, count = PARKED): Promise<void> {
    for (let nth = 0; nth < count; nth += 1) await tell(received([unique('in')], hints(payer)));
  }

  /** Calls `after` after each unit of work, which may throw as if the process had ended. */
  function watched(after: () => Promise<void>): Service {
    const { database } = app.service;
    const write: Database['write'] = async (unit, options) => {
      const result = await database.write(unit, options);
      await after();
      return result;
    };
    return createService({ ...app.service, database: { ...database, write } });
  }
  /** How many payments each unit of work has erased. */
  async function erasedInUnits(work: (service: Service) => Promise<void>): Promise<number[]> {
    const left = [await named()];
    const service = watched(async () => {
      left.push(await named());
    });
    await work(service);
    return left.slice(1).map((count, index) => (left[index] ?? 0) - count);
  }
  const killed = () => watched(() => Promise.reject(new Error('killed')));

  it.each(['your id', "a processor's id", 'an address'])(
    'erases few of them in each unit of work, and all before it answers: under %s',
    async (how) => {
      const { externalId, email, processorCustomerId, name } = person;
      if (how === "a processor's id") await tell(identified(hints({ externalId, processorCustomerId })));
      const payers: Record<string, Partial<typeof person>> = {
        'your id': { externalId, email, name },
        "a processor's id": { processorCustomerId, name },
        'an address': { email, name },
      };
      await park(payers[how] ?? {});
      expect(await named()).toBe(PARKED);
      const erased = await erasedInUnits((service) =>
        eraseCustomer(service, account.accountId, how === 'an address' ? email : externalId),
      );
      expect(await named()).toBe(0);
      expect(Math.max(...erased)).toBeLessThanOrEqual(PAYMENTS_PER_UNIT_MAX);
      await sweep(app.service);
      expect(await stored()).toEqual([]);
    },
  );

  it('continues after the process ended, in two processes at once, with what was merged in the meantime', async () => {
    const { externalId, email, name } = person;
    await park({ externalId, email, name });
    const [one, other] = [unique('in'), unique('in')];
    await tell(received([one], hints({ externalId, email, name })), received([other], hints({ email, name })));
    await expect(eraseCustomer(killed(), account.accountId, externalId)).rejects.toThrow('killed');
    expect(await named()).toBeGreaterThan(0);
    await expect(eraseRemaining(killed())).rejects.toThrow('killed');
    await tell(referenced(one, other));
    await Promise.all([eraseRemaining(app.service), eraseRemaining(createService({ ...app.service }))]);
    expect(await named()).toBe(0);
    await sweep(app.service);
    expect(await stored()).toEqual([]);
  });

  it('erases what one of them is merged into while the next unit of work reads them', async () => {
    const { externalId, name } = person;
    const [earlier, last] = [unique('in'), unique('in')];
    await tell(received([earlier], hints({})));
    await park({ externalId, name }, PAYMENTS_PER_UNIT_MAX);
    await tell(received([last], hints({ externalId, name })));
    for (const unit of [() => eraseCustomer(killed(), account.accountId, externalId), () => eraseRemaining(killed())]) {
      await expect(unit()).rejects.toThrow('killed');
    }
    expect(await named()).toBe(1);
    const { database } = app.service;
    const report: Database['report'] = async (unit, options) => {
      const result = await database.report(unit, options);
      await tell(referenced(earlier, last));
      return result;
    };
    await eraseRemaining(createService({ ...app.service, database: { ...database, report } }));
    expect(await stored()).toEqual([]);
  });

  it('erases few of them in each unit of work that finds them by an address that was erased before', async () => {
    const { accountId } = account;
    const { externalId, email, name } = person;
    await park({ email, name });
    await park({ externalId }, 1);
    await app.service.database.write((tx) => addMark(tx, accountId, markOf(accountId, 'email', email), Date.now()));
    await eraseCustomer(app.service, accountId, externalId);
    const erased = await erasedInUnits((service) => eraseMentionedIdentities(service));
    expect(Math.max(...erased)).toBe(PAYMENTS_PER_UNIT_MAX);
    expect(await named()).toBe(0);
  });

  it('leaves the rest to the server if a processor requires it', async () => {
    const { email, processorCustomerId, name } = person;
    await park({ email, processorCustomerId, name });
    const request = { kind: 'customer.erased', customer: hints({ email, processorCustomerId }) } as const;
    expect(await tell(request)).toMatchObject({ outcome: 'noted', reason: 'erased' });
    expect(await named()).toBeGreaterThan(PARKED - PAYMENTS_PER_UNIT_MAX - 1);
    await sweep(app.service);
    expect(await stored()).toEqual([]);
  });

  it("leaves payments of others that have only the processor's customer in common", async () => {
    const { externalId, processorCustomerId, name } = person;
    await park({ processorCustomerId, name }, PAYMENTS_PER_UNIT_MAX + 1);
    await park({ externalId: unique('other'), processorCustomerId, name }, 3);
    await tell(identified(hints({ externalId, processorCustomerId })));
    await eraseCustomer(app.service, account.accountId, externalId);
    await sweep(app.service);
    expect(await named()).toBe(3);
  });
});
