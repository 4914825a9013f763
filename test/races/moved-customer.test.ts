import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { importCustomer } from '../../src/payments/imports/import-customer.ts';
import { type ImportedSale, importSale } from '../../src/payments/imports/import-sale.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, received } from '../helpers/facts.ts';
import { holding } from '../helpers/holding.ts';
import { asId } from '../helpers/ids.ts';
import { soldTo } from '../helpers/sold-to.ts';
import { unique } from '../helpers/story.ts';

/** Long enough for an import that waits for nobody to end. */
const HELD_MS = 500;

/** SQLite runs one unit after the other. */
const CONCURRENT = engines.filter((engine) => engine === 'postgres');

describe.each(CONCURRENT)('a payment of a customer who is moved to its program at the same moment, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  const create = async (path: string, body: object) => {
    const answer = await app.call('POST', path, { body });
    expect([answer.status, answer.text]).toEqual([201, answer.text]);
    return answer.body.id as string;
  };
  const partnerOf = (programId: string) =>
    create('/api/partners', { programId, name: 'Pia', email: `${unique('pia')}@example.com` });
  const importTo = (partnerId: string, externalId: string, customerId: string | null = null) => {
    const atProcessor = customerId === null ? null : ({ processor: 'stripe', customerId } as const);
    const imported = { externalId, partnerId, email: null, name: null, atProcessor };
    return importCustomer(app.service, app.accountId, imported);
  };
  /** An earlier sale of the customer, which an import of sales brings. */
  const importSaleTo = (partnerId: string, externalId: string) => {
    const sale: ImportedSale = {
      partnerId,
      customer: { externalId, email: null, name: null, processorCustomerId: null },
      processor: 'custom',
      invoiceId: null,
      references: [],
      eventName: 'Purchase',
      amountMinor: 0,
      grossMinor: 0,
      currency: 'usd',
      occurredAt: 0,
      earned: { commission: { amountMinor: 0, reason: 'elsewhere' }, availableAt: 0, refundedMinor: 0 },
      origin: 'a test',
    };
    const scope = { accountId: app.accountId, now: app.service.clock() };
    return app.service.database.write((tx) => importSale(tx, scope, sale));
  };

  const MOMENTS = [
    ['begins before the move, and ends after it', /INSERT INTO payments/, 'before'],
    ['has found the customer, who is moved then', /FROM customers c[\s\S]*WHERE c\.id = @customerId/, 'after'],
  ] as const;

  it.each(MOMENTS)('is attributed when the payment %s', async (_when, held, when) => {
    await expectSold({ held, when }, importTo, 1);
  });

  it.each(MOMENTS)('is attributed when the payment %s, by an import of sales', async (_when, held, when) => {
    await expectSold({ held, when }, importSaleTo, 2);
  });

  async function expectSold(
    moment: { held: RegExp; when: 'before' | 'after' },
    moveTo: (partnerId: string, externalId: string) => Promise<unknown>,
    saleCount: number,
  ) {
    const [customer, atStripe] = [unique('user'), unique('cus')];
    const deletedId = await partnerOf(await create('/api/programs', { name: unique('Program') }));
    await importTo(deletedId, customer, atStripe);
    expect((await app.call('DELETE', `/api/partners/${deletedId}`)).status).toBe(204);
    const partnerId = await partnerOf(app.programId);

    const reached = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const hold = { ...moment, reached: reached.resolve, release: release.promise };
    const database = holding(app.service.database, hold);
    const onlyPrograms = [asId<'prg'>(app.programId)];
    const payment = received([unique('in')], hints({ processorCustomerId: atStripe }), { onlyPrograms });
    const receiving = applyFacts(createService({ ...app.service, database }), app.accountId, payment);
    await Promise.race([reached.promise, receiving]);
    const move = moveTo(partnerId, customer);
    await Promise.race([move, pause(HELD_MS)]);
    release.resolve();
    await Promise.all([receiving, move]);
    expect(await soldTo(app, [customer])).toEqual(Array.from({ length: saleCount }, () => customer));
  }
});
