import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../helpers/free-port.ts';
import { createWorkplace } from './run-cli.ts';
import { visit } from './visit.ts';

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const workplace = createWorkplace({ PORT: String(port), HOST: '127.0.0.1', BASE_URL: url });

let polar: string;
let partnerId: string;
let clickId: string;

beforeAll(async () => {
  const server = workplace.start('serve');
  await server.saw(/listening/);
  await workplace.json('setup');
  polar = (await workplace.json('endpoints', 'create', '--processor', 'polar', '--secret', 'polar_whs_example')).id;
  partnerId = (await workplace.json('partners', 'create', '--name', 'Ana', '--email', 'ana@example.com')).id;
  const link = ['--partner', partnerId, '--key', 'ana', '--url', 'https://shop.example.com/'];
  clickId = await visit((await workplace.json('links', 'create', ...link)).shortLink);
});
afterAll(() => workplace.remove());

/** A payment without a known customer, by its invoice id at Polar. */
async function park(orderId: string, overrides: readonly string[] = []): Promise<string> {
  const words = ['trigger', 'polar', 'order.paid', '--variant', 'one-time-discount', '--endpoint', polar];
  const { exitCode } = await workplace.run([
    ...words,
    ...['--override', `data.id=${orderId}`, '--override', 'data.customer_id=cus_{run}', '--expect', 'unattributed'],
    ...overrides.flatMap((override) => ['--override', override]),
  ]);
  expect(exitCode).toBe(0);
  const { data } = await workplace.json('parked', 'list');
  return data.find((payment: { invoiceId: string }) => payment.invoiceId === orderId).id;
}

describe('refbridge parked', () => {
  it("lists a payment's customer hints, and the attribution steps that were tried", async () => {
    const id = await park('11111111-aaaa-4aaa-8aaa-000000000001');
    const { stdout } = await workplace.run(['parked', 'list']);
    expect(stdout).toMatch(new RegExp(`${id} +polar +\\S+0001 +79\\.20 USD +90210 +tomas\\.novak@example\\.com`));
    expect(stdout).toMatch(new RegExp(`${id}.* external_id 90210, processor_customer cus_`));
    const { data } = await workplace.json('parked', 'list', '--limit', '1');
    expect(data[0].steps[0]).toMatchObject({ step: 'external_id', value: '90210', result: 'not_found' });
  });

  it('refuses a missing owner, two owners, and an unknown one', async () => {
    const id = await park('11111111-aaaa-4aaa-8aaa-000000000002');
    const attribute = (...to: string[]) => workplace.run(['parked', 'attribute', id, ...to]);
    for (const to of [[], ['--click', clickId, '--partner', partnerId]]) {
      const { exitCode, stderr } = await attribute(...to);
      expect([to, exitCode]).toEqual([to, 2]);
      expect(stderr).toContain('customerExternalId');
      for (const option of ['--customer', '--click', '--partner']) expect(stderr).toContain(option);
    }
    expect((await attribute('--customer', 'nobody')).stderr).toContain('No customer "nobody"');
    expect((await attribute('--partner', 'ptr_nobody')).stderr).toContain('No partner "ptr_nobody"');
    expect((await workplace.json('parked', 'list')).data.map((payment: { id: string }) => payment.id)).toContain(id);
  });

  it("attributes a payment to the partner of a click, shows what was earned, and attributes the person's other payments", async () => {
    const id = await park('11111111-aaaa-4aaa-8aaa-000000000003');
    const { exitCode, stdout, stderr } = await workplace.run(['parked', 'attribute', id, '--click', clickId]);
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/It is now sale sal_\w+: 15\.84 USD for Ana/);
    const again = await workplace.run(['parked', 'attribute', id, '--click', clickId]);
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toContain('not parked');
    expect((await workplace.json('parked', 'list')).data).toEqual([]);
    expect((await workplace.json('sales', 'list')).data).toHaveLength(3);
    const sale = (await workplace.run(['sales', 'show', '11111111-aaaa-4aaa-8aaa-000000000003'])).stdout;
    expect(sale).toMatch(/^amount +79\.20 USD\ncommissionAmount +15\.84 USD\n/m);
    expect(sale).toMatch(/^terms +20% of net, from the program, without end, held for 30 days\n/m);
    expect(sale).toMatch(/^commission +15\.84 USD +noted /m);
    expect(sale).not.toMatch(/\b(7920|1584)\b/);
  });

  it('says that an address was erased', async () => {
    const hints = ['data.metadata.svcCustomerExternalId=user_7', 'data.customer.email=eva@example.com'];
    const id = await park('11111111-aaaa-4aaa-8aaa-000000000004', hints);
    const line = async () => {
      const { stdout } = await workplace.run(['parked', 'list']);
      return stdout.split('\n').find((row) => row.includes(id));
    };
    expect(await line()).toMatch(/, email eva@example\.com/);
    await workplace.json('erase', 'user_7', '--yes');
    expect(await line()).toMatch(/, email \(erased\)/);
    expect(await line()).not.toMatch(/null|eva/);
  });
});

it('refbridge refunds create refuses a refund of a parked payment in another currency, or below zero', async () => {
  const invoice = '11111111-aaaa-4aaa-8aaa-000000000009';
  await park(invoice, ['data.metadata.svcCustomerExternalId=user_9']);
  const refund = (amount: string) =>
    workplace.run(['refunds', 'create', '--invoice', invoice, '--refund-id', 're_9', '--amount', amount]);
  const refused = await refund('1250JPY');
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('jpy, but the payment is in usd')]);
  const negative = await refund('-12.50USD');
  expect([negative.exitCode, negative.stderr]).toEqual([2, expect.stringContaining('must not be negative')]);
  expect((await refund('12.50USD')).stderr).toContain('the refund waits with it');
});
