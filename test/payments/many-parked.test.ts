import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findScannedAccounts } from '../../src/app/scans.ts';
import { createService } from '../../src/app/service.ts';
import type { Fact } from '../../src/core/facts.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { attributeDuePayments, findFailedPayments } from '../../src/payments/attribute-due.ts';
import { ATTRIBUTED_PER_UNIT } from '../../src/payments/due.ts';
import { attributeByHand } from '../../src/payments/parked-payments.ts';
import { findDue } from '../../src/payments/queries/parked-hints.ts';
import { eraseCustomer } from '../../src/privacy/customers.ts';
import type { Database } from '../../src/storage/database.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { lead, leadWith } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, disputed, hints, received, referenced, refunded } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';

const OCTOBER = Date.UTC(2026, 9, 1);
const COUNT = 2 * ATTRIBUTED_PER_UNIT + 20;
const LAST = `in_${COUNT}`;
const PARKED = "SELECT id FROM payments WHERE state = 'parked' AND account_id || '' = @accountId";
const MIA = { externalId: 'mia', email: 'mia@example.com', name: 'Mia' };
const TO_MIA = { customerExternalId: 'mia', clickId: null, partnerId: null };
const NUMBERS = Array.from({ length: COUNT }, (_, place) => place + 1);
/** In another order than that of their times. */
const ARRIVALS = NUMBERS.toSorted((a, b) => ((a * 37) % 127) - ((b * 37) % 127));

/** The first payment, of 1.00, or one of the renewals of 2.00, a millisecond after the other. */
const paymentOf = (nth: number, person: Parameters<typeof hints>[0] = MIA, netMinor = nth === 1 ? 100 : 200) =>
  received([`in_${nth}`], hints(person), { netMinor, grossMinor: netMinor, taxMinor: 0, occurredAt: OCTOBER + nth });

describe.each(engines)('more parked payments of a customer than one unit attributes, on %s', (engine) => {
  let app: TestApp;
  let account: ReferredAccount;
  let now = 0;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
  });
  beforeEach(async () => {
    now = Date.UTC(2026, 10, 1);
    account = await createReferredAccount(app.service, { durationMonths: 0 });
  });
  afterAll(() => app.close());

  const tell = (...facts: Fact[]) => applyFacts(app.service, account.accountId, ...facts);
  const rows = <Row>(sql: string) =>
    app.service.database.read((tx) => tx.all<Row>(sql, { accountId: account.accountId }));
  const due = () => app.service.database.read((tx) => findDue(tx, account.accountId, COUNT));
  const idOf = async (invoice: string) => {
    const sql = `SELECT payment_id AS id FROM payment_references WHERE account_id = @accountId AND value = '${invoice}'`;
    return (await rows<{ id: string }>(sql))[0]?.id ?? '';
  };

  async function park(): Promise<void> {
    for (const nth of ARRIVALS) await tell(paymentOf(nth));
    await lead(app, account);
  }

  /** The commissions of the sales, by invoice, once the server has attributed all that it can. */
  async function earned(): Promise<Map<string, number>> {
    await attributeDuePayments(app.service);
    expect(await due()).toEqual([]);
    expect(await app.service.database.read((tx) => findScannedAccounts(tx, 'attribute payments'))).toEqual([]);
    await requireAgreement(app.service, account.accountId);
    const sql =
      'SELECT invoice_id AS "invoiceId", commission_amount AS amount FROM sales WHERE account_id = @accountId';
    const sales = await rows<{ invoiceId: string; amount: number }>(sql);
    const byInvoice = new Map(sales.map(({ invoiceId, amount }) => [invoiceId, amount]));
    expect(byInvoice.size).toBe(sales.length);
    return byInvoice;
  }
  const ALL = new Map(NUMBERS.map((nth) => [`in_${nth}`, nth === 1 ? 20 : 0]));

  it('become sales, the earliest first, of which only the very first one earns', async () => {
    await park();
    const sold = await rows<{ id: string }>('SELECT invoice_id AS id FROM sales WHERE account_id = @accountId');
    const earliest = NUMBERS.slice(0, ATTRIBUTED_PER_UNIT).map((nth) => `in_${nth}`);
    expect(sold.map(({ id }) => id).sort()).toEqual(earliest.sort());
    expect(await due()).toHaveLength(COUNT - ATTRIBUTED_PER_UNIT);
    expect(await earned()).toEqual(ALL);
  });

  it('become sales once, also when two processes continue at the same time', async () => {
    await park();
    await Promise.all([attributeDuePayments(app.service), attributeDuePayments(app.service)]);
    expect(await earned()).toEqual(ALL);
  });

  it('become sales of their own customers, whose leads arrive while the server attributes others', async () => {
    const names = ['ana', 'ben', 'cleo'];
    for (const nth of ARRIVALS) await tell(paymentOf(nth, { externalId: names[nth % 3] ?? '' }));
    const leads = names.map((name) => leadWith({ customerExternalId: name })(app, account));
    await Promise.all([...leads, attributeDuePayments(app.service), attributeDuePayments(app.service)]);
    expect([...(await earned()).keys()].sort()).toEqual([...ALL.keys()].sort());
    const sql = `SELECT COUNT(*) AS wrong FROM sales s JOIN customers c ON c.id = s.customer_id
      WHERE s.account_id = @accountId AND c.external_id <> CASE CAST(substr(s.invoice_id, 4) AS INTEGER) % 3
        WHEN 0 THEN 'ana' WHEN 1 THEN 'ben' ELSE 'cleo' END`;
    expect(await rows(sql)).toEqual([{ wrong: 0 }]);
  });

  it('become sales although they expire while the server is stopped', async () => {
    await park();
    now += 400 * DAY_MS;
    expect(await earned()).toEqual(ALL);
  });

  it('lead to others that only they name', async () => {
    const customer = { processorCustomerId: 'cus_mia' };
    for (const nth of ARRIVALS) await tell(paymentOf(nth, nth === COUNT ? { ...customer, externalId: 'mia' } : MIA));
    for (const nth of NUMBERS) await tell(received([`ch_${nth}`], hints(customer)));
    await lead(app, account);
    const all = await earned();
    expect(all.size).toBe(2 * COUNT);
    expect([...all].filter(([, amount]) => amount > 0)).toEqual([['in_1', 20]]);
  });

  it('are reduced by what is refunded and disputed before they are sales', async () => {
    account = await createReferredAccount(app.service);
    await park();
    await tell(refunded([LAST], { refundId: 're_1', amountMinor: 50 }), disputed([LAST], 'du_1', 150, 'lost'));
    await earned();
    const sql = `SELECT refunded_amount AS refunded FROM sales WHERE account_id = @accountId AND invoice_id = '${LAST}'`;
    expect(await rows(sql)).toEqual([{ refunded: 200 }]);
  });

  it('are one sale if they turn out to be one payment before', async () => {
    await park();
    await tell(referenced(`in_${COUNT - 1}`, LAST));
    const all = await earned();
    expect(all.size).toBe(COUNT - 1);
    expect(all.has(`in_${COUNT - 1}`) !== all.has(LAST)).toBe(true);
  });

  it('are sold once if a report of one arrives again, or a person attributes another before', async () => {
    await park();
    expect(await tell(paymentOf(COUNT))).toMatchObject({ outcome: 'sale' });
    await attributeByHand(app.service, account.accountId, await idOf(`in_${COUNT - 1}`), TO_MIA);
    expect(await earned()).toEqual(ALL);
  });

  it('become sales without the person who was erased before', async () => {
    await park();
    await eraseCustomer(app.service, account.accountId, 'mia');
    expect(await earned()).toEqual(ALL);
    const stored = [
      ...(await rows('SELECT email, name FROM customers WHERE account_id = @accountId')),
      ...(await rows('SELECT steps, metadata FROM sales WHERE account_id = @accountId')),
      ...(await rows('SELECT value FROM parked_hints WHERE account_id = @accountId')),
    ];
    expect(JSON.stringify(stored)).not.toMatch(/mia@example\.com|Mia/);
  });

  it('stay parked, and do not fail the lead, if their invoice has a sale', async () => {
    for (const nth of ARRIVALS) await tell(paymentOf(nth));
    const second = await idOf('in_2');
    const sql = `UPDATE payments SET fact = REPLACE(fact, '"in_2"', '"in_1"') WHERE id = @second`;
    await app.service.database.write((tx) => tx.run(sql, { second }));
    await lead(app, account);
    expect(await earned()).toEqual(new Map([...ALL].filter(([invoice]) => invoice !== 'in_2')));
    expect(await rows(PARKED)).toEqual([{ id: second }]);
    expect(await findFailedPayments(app.service, account.accountId, COUNT)).toEqual([second]);
    const byHand = { key: account.apiKey, body: { customerExternalId: 'mia' } };
    const { status, body } = await app.call('POST', `/api/parked-payments/${second}/attribute`, byHand);
    expect([status, body.error.code]).toEqual([409, 'DUPLICATE_INVOICE']);
  });

  it('do not fail the lead if the report of the first cannot be read', async () => {
    for (const nth of ARRIVALS) await tell(paymentOf(nth));
    const broken = await idOf('in_1');
    await app.service.database.write((tx) => tx.run("UPDATE payments SET fact = '{' WHERE id = @broken", { broken }));
    await lead(app, account);
    expect([...(await earned()).keys()].toSorted()).toEqual([...ALL.keys()].filter((id) => id !== 'in_1').toSorted());
    expect(await rows(PARKED)).toEqual([{ id: broken }]);
    expect(await findFailedPayments(app.service, account.accountId, COUNT)).toEqual([broken]);
  });

  it('do not wait for one that cannot become a sale', async () => {
    await park();
    const broken = await idOf(LAST);
    await app.service.database.write((tx) => tx.run("UPDATE payments SET fact = '{' WHERE id = @broken", { broken }));
    expect(await earned()).toEqual(new Map([...ALL].filter(([invoice]) => invoice !== LAST)));
    expect(await rows(PARKED)).toEqual([{ id: broken }]);
    expect(await findFailedPayments(app.service, account.accountId, COUNT)).toEqual([broken]);
  });

  it('are not called failed if a person has attributed them between the attempt of the server and its note', async () => {
    await park();
    const broken = await idOf(LAST);
    const [{ fact } = { fact: '' }] = await rows<{ fact: string }>(`SELECT fact FROM payments WHERE id = '${broken}'`);
    const { database } = app.service;
    const store = (text: string) =>
      database.write((tx) => tx.run('UPDATE payments SET fact = @text WHERE id = @broken', { text, broken }));
    await store('{');
    const write: Database['write'] = (unit, options) =>
      database.write(unit, options).catch(async (error) => {
        if ((await due()).length === 1) {
          await store(fact);
          await attributeByHand(app.service, account.accountId, broken, TO_MIA);
        }
        throw error;
      });
    await attributeDuePayments(createService({ ...app.service, database: { ...database, write } }));
    expect(await earned()).toEqual(ALL);
    expect(await findFailedPayments(app.service, account.accountId, COUNT)).toEqual([]);
  });
});
