import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importCustomer } from '../../src/payments/imports/import-customer.ts';
import { importSale } from '../../src/payments/imports/import-sale.ts';
import type { ImportedPerson } from '../../src/payments/imports/imported-person.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import {
  checkoutCompleted,
  checkoutUnpaid,
  invoicePaid,
  invoicePaymentPaid,
  paymentCaptured,
} from '../helpers/stripe-payloads.ts';

describe.each(engines)('an endpoint for one program of several, on %s', (engine) => {
  let app: TestApp;
  let ofFirst: Referrer;
  let ofSecond: Referrer;
  let limited: EndpointUnderTest;
  let second: string;
  let codes: { first: string; second: string };
  let customer: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    second = (await app.call('POST', '/api/programs', { body: { name: 'Second' } })).body.id;
    for (const id of [app.programId, second]) {
      await app.call('PATCH', `/api/programs/${id}`, { body: { emailMatching: true } });
    }
    limited = await createEndpoint(app, 'stripe', { programId: second });
  });
  beforeEach(async () => {
    codes = { first: unique('ONE'), second: unique('TWO') };
    ofFirst = await createReferrer(app, { programId: app.programId, discountCodes: [codes.first] });
    ofSecond = await createReferrer(app, { programId: second, discountCodes: [codes.second] });
    customer = unique('user');
  });
  afterAll(() => app.close());

  const paidBy = (externalId: string | null, paymentIntent: string, changes: object = {}) => {
    const event = checkoutCompleted({ externalId, paymentIntent });
    return { ...event, data: { object: { ...(event.data.object as object), customer_details: null, ...changes } } };
  };
  async function salesOf(invoiceId: string) {
    const { body } = await app.call('GET', `/api/sales?invoiceId=${invoiceId}`);
    return body.data.map(({ programId, partnerId }: Record<string, string>) => ({ programId, partnerId }));
  }
  function importSaleOf({ partnerId, ...person }: ImportedPerson & { partnerId: string }, processorCustomerId: string) {
    const amounts = { amountMinor: 1_000, grossMinor: 1_000, currency: 'usd', occurredAt: Date.UTC(2026, 0, 1) };
    const commission = { amountMinor: 100, reason: 'Test' };
    const earned = { commission, availableAt: Date.UTC(2026, 1, 1), refundedMinor: 0 };
    const names = { processor: 'stripe', invoiceId: unique('in'), references: [], eventName: 'Purchase' } as const;
    const sale = {
      ...names,
      ...amounts,
      earned,
      partnerId,
      origin: 'Test',
      customer: { ...person, processorCustomerId },
    };
    const scope = { accountId: app.accountId, now: app.service.clock() };
    return app.service.database.write((tx) => importSale(tx, scope, sale));
  }
  const byFirst = () => [{ programId: app.programId, partnerId: ofFirst.partnerId }];
  const bySecond = () => [{ programId: second, partnerId: ofSecond.partnerId }];

  it("parks a payment of another program's customer, and says why", async () => {
    await ofFirst.lead(customer);
    const invoice = unique('pi');
    expect((await limited.deliver(paidBy(customer, invoice))).body.outcome).toBe('unattributed');
    expect(await salesOf(invoice)).toEqual([]);
    const { body } = await app.call('GET', '/api/parked-payments?limit=100');
    const { steps } = body.data.find((parked: { invoiceId: string }) => parked.invoiceId === invoice);
    const reason = expect.stringMatching(/partner ptr_.*, whose program is not the one that the endpoint is for$/);
    expect(steps).toEqual([{ step: 'external_id', value: customer, result: 'skipped', reason }]);
  });

  it('is explained as it is received', async () => {
    await ofFirst.lead(customer);
    const explain = async (endpointId: string) => {
      const body = { processor: 'stripe', endpointId, body: paidBy(customer, unique('pi')) };
      return (await app.call('POST', '/api/explain', { body })).body;
    };
    expect(await explain(limited.id)).toMatchObject({ outcome: 'unattributed', partnerId: null });
    const { id } = await createEndpoint(app, 'stripe');
    expect(await explain(id)).toMatchObject({ outcome: 'sale', partnerId: ofFirst.partnerId });
  });

  it("counts its own program's customers, before and after their lead", async () => {
    const [before, after] = [unique('pi'), unique('pi')];
    await limited.deliver(paidBy(customer, before));
    await ofSecond.lead(customer);
    await limited.deliver(paidBy(customer, after));
    expect(await salesOf(before)).toEqual(bySecond());
    expect(await salesOf(after)).toEqual(bySecond());
  });

  it('goes on to the next step when one leads to another program', async () => {
    await ofFirst.lead(customer);
    const discounts = [{ promotion_code: codes.first }, { promotion_code: codes.second }];
    const invoice = unique('pi');
    await limited.deliver(paidBy(customer, invoice, { discounts }));
    expect(await salesOf(invoice)).toEqual(bySecond());
  });

  it("finds its program's customer of an address, though another program has an earlier one", async () => {
    const email = `${unique('mia')}@example.com`;
    await ofFirst.lead(unique('user'), { customerEmail: email });
    await ofSecond.lead(customer, { customerEmail: email });
    const invoice = unique('pi');
    await limited.deliver(paidBy(null, invoice, { customer_details: { email, name: null } }));
    expect(await salesOf(invoice)).toEqual(bySecond());
  });

  it.each(['a customer', 'a customer without an id at the processor', 'a sale of the customer'])(
    'counts what was parked of customers imported into the wrong program, once %s is imported into the right one',
    async (imported) => {
      const { service, accountId } = app;
      const customerId = unique('cus');
      const person = { externalId: customer, email: `${customer}@example.com`, name: null };
      const atProcessor = { processor: 'stripe', customerId } as const;
      const body = { programId: app.programId, name: 'Wrong', email: `${unique('wrong')}@example.com` };
      const { id: partnerId } = (await app.call('POST', '/api/partners', { body })).body;
      await importCustomer(service, accountId, { ...person, partnerId, atProcessor });
      const [named, addressed, renewed] = [unique('pi'), unique('pi'), unique('pi')];
      await limited.deliver(paidBy(customer, named));
      await limited.deliver(paidBy(null, addressed, { customer_details: { email: person.email, name: null } }));
      await limited.deliver(paidBy(null, renewed, { customer: customerId }));
      expect((await app.call('DELETE', `/api/partners/${partnerId}`)).status).toBe(204);
      const right = { ...person, partnerId: ofSecond.partnerId };
      if (imported === 'a sale of the customer') await importSaleOf(right, customerId);
      else {
        const known = imported === 'a customer' ? atProcessor : null;
        await importCustomer(service, accountId, { ...right, atProcessor: known });
      }
      for (const invoice of [named, addressed, renewed]) expect(await salesOf(invoice)).toEqual(bySecond());
    },
  );

  it('shares payments with an endpoint for another program, whichever reports them first', async () => {
    const other = await createEndpoint(app, 'stripe', { programId: app.programId });
    for (const endpoints of [
      [limited, other],
      [other, limited],
    ]) {
      const [known, late] = [unique('user'), unique('user')];
      const [first, parked] = [unique('pi'), unique('pi')];
      await ofSecond.lead(known);
      for (const endpoint of endpoints) {
        await endpoint.deliver(paidBy(known, first));
        await endpoint.deliver(paidBy(late, parked));
      }
      expect(await salesOf(first)).toEqual(bySecond());
      await ofSecond.lead(late);
      expect(await salesOf(parked)).toEqual(bySecond());
    }
  });

  it.each(['an endpoint for another program', 'an endpoint for every program'])(
    'shares a payment that is captured later with %s, whichever announces it last',
    async (kind) => {
      const programId = kind === 'an endpoint for every program' ? null : second;
      const endpoints = [
        await createEndpoint(app, 'stripe', { programId: app.programId }),
        await createEndpoint(app, 'stripe', { programId }),
      ];
      await ofFirst.lead(customer);
      await ofSecond.lead(`${customer}_2`);
      for (const order of [endpoints, endpoints.toReversed()]) {
        const [intentOfFirst, intentOfSecond] = [unique('pi'), unique('pi')];
        for (const endpoint of order) {
          await endpoint.deliver(checkoutUnpaid({ externalId: customer, paymentIntent: intentOfFirst }));
          await endpoint.deliver(checkoutUnpaid({ externalId: `${customer}_2`, paymentIntent: intentOfSecond }));
        }
        await limited.deliver(paymentCaptured(intentOfFirst));
        await limited.deliver(paymentCaptured(intentOfSecond));
        expect(await salesOf(intentOfFirst)).toEqual(byFirst());
        expect(await salesOf(intentOfSecond)).toEqual(bySecond());
      }
    },
  );

  it('shares a payment with an endpoint for every program when their reports turn out to be of one payment', async () => {
    const other = await createEndpoint(app, 'stripe');
    await ofFirst.lead(customer);
    const [invoice, intent] = [unique('in'), unique('pi')];
    const reports = [
      () => limited.deliver(paidBy(customer, intent)),
      () => other.deliver(invoicePaid({ invoice, customer: unique('cus'), amount: 5_000 })),
    ];
    for (const report of reports) expect((await report()).body.outcome).toBe('unattributed');
    await other.deliver(invoicePaymentPaid(invoice, intent));
    expect([...(await salesOf(invoice)), ...(await salesOf(intent))]).toEqual(byFirst());
  });

  it('is for every program after its program is removed, also what is retried', async () => {
    await ofFirst.lead(customer);
    const endpoint = await createEndpoint(app, 'stripe', { programId: second });
    const invoice = unique('pi');
    await endpoint.deliver(paidBy(customer, invoice));
    await app.call('PATCH', `/api/webhook-endpoints/${endpoint.id}`, { body: { programId: null } });
    const { body } = await app.call('GET', `/api/deliveries?endpointId=${endpoint.id}`);
    const path = `/api/deliveries/${body.data[0].id}`;
    expect((await app.call('POST', `${path}/retry`)).status).toBe(200);
    expect((await app.call('GET', path)).body.outcome).toBe('sale');
    expect(await salesOf(invoice)).toEqual(byFirst());
  });

  it('does not limit a sale that the backend reports', async () => {
    const clickId = await ofFirst.lead(customer);
    const invoiceId = unique('pi');
    await limited.deliver(paidBy(customer, invoiceId));
    const sale = { clickId, customerExternalId: customer, amount: 5_000, invoiceId };
    expect((await app.call('POST', '/api/track/sale', { body: sale })).status).toBe(200);
    expect(await salesOf(invoiceId)).toEqual(byFirst());
  });
});
