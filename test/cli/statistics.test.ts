import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../helpers/free-port.ts';
import { beginWithinADay } from '../helpers/one-day.ts';
import { createWorkplace } from './run-cli.ts';
import { visit } from './visit.ts';

const DAY_MS = 86_400_000;
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const workplace = createWorkplace({ PORT: String(port), HOST: '127.0.0.1', BASE_URL: url });
const { json, run } = workplace;
let today: string;

beforeAll(async () => {
  const server = workplace.start('serve');
  await server.saw(/listening/);
  const { apiKey } = await json('setup', '--name', 'Example Ltd');
  await json('programs', 'update', 'Example Ltd', '--commission', '20%');
  await json('partners', 'create', '--name', 'Ana', '--email', 'ana@example.com');
  const link = ['--partner', 'ana@example.com', '--url', 'https://shop.example.com/'];
  await beginWithinADay();
  const clickId = await visit((await json('links', 'create', ...link)).shortLink);
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object) => {
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.ok, await response.text()).toBe(true);
  };
  await post('/api/track/lead', { clickId, customerExternalId: 'user_1', eventName: 'Sign up' });
  for (const [currency, amount] of Object.entries({ eur: 10_050, jpy: 300 })) {
    await post('/api/track/sale', {
      clickId,
      customerExternalId: 'user_1',
      amount,
      currency,
      invoiceId: `inv_${currency}`,
    });
  }
  today = (await json('sales', 'list')).data[0].createdAt.slice(0, 10);
});
afterAll(() => workplace.remove());

describe('refbridge statistics', () => {
  it('prints a line of CSV for each interval and currency, with decimals, and the counts once', async () => {
    const [before, after] = [-1, 1].map((days) =>
      new Date(Date.parse(today) + days * DAY_MS).toISOString().slice(0, 10),
    );
    const words = ['statistics', '--csv', '--from', `${before}`, '--to', `${after}`, '--interval', 'day'];
    const { stdout } = await run(words);
    expect(stdout.replaceAll(/^(\d{4}-\d\d-\d\d),\d,/gm, '$1,clicks,').split('\r\n')).toEqual([
      'from,clicks,leads,sales,revenue,commission,currency',
      `${before},clicks,0,0,,,`,
      `${today},clicks,1,2,100.50,20.10,EUR`,
      `${today},,,,300,60,JPY`,
      '',
    ]);
  });

  it('counts one of something as one', async () => {
    const { stderr } = await run(['statistics']);
    expect(stderr).toContain('Total: 1 click, 1 lead, 2 sales, revenue 100.50 EUR, 300 JPY,');
  });
});

it('refbridge overview leaves out currencies in which nothing is owed', async () => {
  const [sale] = (await json('sales', 'list')).data.filter(({ currency }: { currency: string }) => currency === 'jpy');
  await json('refunds', 'create', '--sale', sale.id, '--refund-id', 're_1', '--amount', '300JPY');
  const { stdout } = await run(['overview']);
  expect(stdout).toMatch(/^owed, held +20\.10 EUR$/m);
  expect((await json('overview')).owed.held).toEqual({ eur: 2_010, jpy: 0 });
});
