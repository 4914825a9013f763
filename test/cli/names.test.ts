import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../helpers/free-port.ts';
import { createWorkplace } from './run-cli.ts';
import { visit } from './visit.ts';

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const home = createWorkplace({ PORT: String(port), HOST: '127.0.0.1', BASE_URL: url });
const { json, run } = home;

interface Account {
  accountId: string;
  apiKey: string;
}
let first: Account;
let second: Account;
/** A customer of both accounts, called like one of our sales. */
const LIKE_A_SALE = `sal_${'0'.repeat(32)}`;

async function call({ apiKey }: Account, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every shape that there is
  return response.json() as any;
}

/** Both accounts call their things alike: a partner `usr_7`, a customer `usr_42`, an invoice `inv_1042`. */
async function furnish(account: Account): Promise<void> {
  const partner = { name: 'Ana', email: 'ana@example.com', tenantId: 'usr_7' };
  const { id: partnerId } = await call(account, 'POST', '/api/partners', partner);
  const { shortLink } = await call(account, 'POST', '/api/links', { partnerId, url: 'https://shop.example.com/' });
  const clickId = await visit(shortLink);
  const lead = { clickId, eventName: 'Sign up', customerEmail: 'mia@example.com' };
  for (const customerExternalId of ['usr_42', LIKE_A_SALE]) {
    await call(account, 'POST', '/api/track/lead', { ...lead, customerExternalId });
  }
  const sale = { clickId, customerExternalId: 'usr_42', amount: 10_000, invoiceId: 'inv_1042' };
  await call(account, 'POST', '/api/track/sale', sale);
}

beforeAll(async () => {
  const server = home.start('serve');
  await server.saw(/listening/);
  first = await json('setup', '--name', 'First Ltd');
  second = await json('accounts', 'create', '--name', 'Second Ltd');
  for (const account of [first, second]) await furnish(account);
});
afterAll(() => home.remove());

describe('names of your own that resemble our ids, in a database with several accounts', () => {
  it.each([
    ['personal-data', 'usr_42'],
    ['erase', 'usr_42', '--yes'],
    ['erase', LIKE_A_SALE, '--yes'],
    ['customers', 'show', 'usr_42'],
    ['customers', 'show', LIKE_A_SALE],
    ['sales', 'show', 'inv_1042'],
    ['sales', 'reject', 'inv_1042'],
    ['partners', 'update', 'usr_7', '--commission', '90%'],
    ['partners', 'archive', 'usr_7'],
    ['partners', 'embed-token', 'usr_7'],
    ['partners', 'portal-link', 'usr_7'],
    ['partners', 'end-portal-access', 'usr_7'],
    ['ledger', 'adjust', '--partner', 'usr_7', '--amount', '5EUR', '--reason', 'bonus'],
    ['links', 'create', '--partner', 'usr_7', '--url', 'https://shop.example.com/'],
  ])('require the account: %s %s %s', async (...words) => {
    const { exitCode, stdout, stderr } = await run(words);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('There are several accounts. Choose one with --account <id>');
  });

  it('have changed nothing in either account without it', async () => {
    for (const account of [first, second]) {
      const [partner] = (await call(account, 'GET', '/api/partners')).data;
      expect(partner).toMatchObject({ commission: null, archivedAt: null });
      expect(await call(account, 'GET', '/api/customers/usr_42')).toMatchObject({ email: 'mia@example.com' });
      expect((await call(account, 'GET', '/api/sales')).data).toMatchObject([{ review: null }]);
      expect((await call(account, 'GET', '/api/ledger')).data).toHaveLength(1);
    }
  });

  it('mean the given account', async () => {
    const account = ['--account', second.accountId];
    const sale = await json('sales', 'show', 'inv_1042', ...account);
    expect(sale.id).toBe((await call(second, 'GET', '/api/sales')).data[0].id);
    await json('partners', 'update', 'usr_7', '--commission', '25%', ...account);
    await json('erase', 'usr_42', '--yes', ...account);
    const emailIn = async (of: Account) => (await call(of, 'GET', '/api/customers/usr_42')).email;
    expect([await emailIn(first), await emailIn(second)]).toEqual(['mia@example.com', null]);
    const rateIn = async (of: Account) => (await call(of, 'GET', '/api/partners')).data[0].commission;
    expect([await rateIn(first), await rateIn(second)]).toEqual([null, { type: 'percentage', rateBasisPoints: 2500 }]);
  });

  it('may begin like our ids', async () => {
    const account = ['--account', second.accountId];
    const words = ['--name', 'Ben', '--email', 'ben@example.com', '--tenant-id', 'ptr_7'];
    const { id } = await json('partners', 'create', ...words, ...account);
    expect(await json('partners', 'show', 'ptr_7', ...account)).toMatchObject({ id });
    const unknown = `ptr_${'0'.repeat(32)}`;
    const { exitCode, stderr } = await run(['personal-data', unknown]);
    expect([exitCode, stderr]).toEqual([1, `No partner "${unknown}" in any account\n`]);
  });
});

describe('your own id of a partner that is an address', () => {
  it('names the partner, and both where it is the address of another one', async () => {
    const account = ['--account', second.accountId];
    const create = (...words: string[]) => json('partners', 'create', '--name', 'Cleo', ...words, ...account);
    const { id } = await create('--email', 'cleo@example.com', '--tenant-id', 'Cleo@corp.example');
    for (const text of ['Cleo@corp.example', ' CLEO@example.com ']) {
      expect((await json('partners', 'show', text, ...account)).id).toBe(id);
    }
    const other = await create('--email', 'cleo@corp.example');
    const { exitCode, stderr } = await run(['partners', 'show', 'Cleo@corp.example', ...account]);
    expect(exitCode).toBe(1);
    for (const each of [id, other.id]) expect(stderr).toContain(each);
    expect((await json('partners', 'show', 'cleo@corp.example', ...account)).id).toBe(other.id);
  });
});

describe('names that differ in case', () => {
  it.each(['beside the database', 'on the server'])(
    'mean what is called exactly so, and are found in any case: %s',
    async (where) => {
      const account =
        where === 'on the server' ? ['--url', url, '--api-key', second.apiKey] : ['--account', second.accountId];
      const partnerId = (await call(second, 'GET', '/api/partners')).data[0].id;
      const key = where === 'on the server' ? 'remote' : 'local';
      const link = (name: string) =>
        call(second, 'POST', '/api/links', { partnerId, key: name, url: 'https://shop.example.com/' });
      const upper = key.toUpperCase();
      const lower = await link(key);
      expect((await json('links', 'show', upper, ...account)).id).toBe(lower.id);
      await link(upper);
      for (const name of [key, upper]) {
        for (const text of [name, `${new URL(url).host}/${name}`, `${url}/${name}`, `${url}/${name}/`]) {
          expect(await json('links', 'show', text, ...account), text).toMatchObject({ key: name });
        }
      }
      const mixed = `${upper[0]}${key.slice(1)}`;
      const { exitCode, stderr } = await run(['links', 'show', mixed, ...account]);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`${mixed} matches several; give the id of one`)]);
    },
  );
});

describe('an address that was pasted', () => {
  it('means the link with its key, in whatever case its host is written', async () => {
    const account = ['--account', second.accountId];
    const partnerId = (await call(second, 'GET', '/api/partners')).data[0].id;
    const body = { partnerId, url: 'https://shop.example.com/', domain: 'refer.example.com' };
    for (const key of ['Spring', 'spring']) {
      const { id } = await call(second, 'POST', '/api/links', { ...body, key });
      for (const text of [
        `Refer.EXAMPLE.com/${key}`,
        `https://refer.Example.com/${key}`,
        `HTTPS://REFER.example.com/${key}/`,
      ]) {
        expect((await json('links', 'show', text, ...account)).id, text).toBe(id);
      }
    }
    const mixed = await run(['links', 'show', 'https://Refer.example.com/sPRING', ...account]);
    expect([mixed.exitCode, mixed.stderr]).toEqual([1, expect.stringContaining('matches several')]);
  });

  it('means the event endpoint, but the case of its path matters', async () => {
    const account = ['--account', second.accountId];
    const body = { url: 'https://app.example.com/Events', types: ['sale.created'] };
    const { id } = await call(second, 'POST', '/api/event-endpoints', body);
    expect((await json('events', 'endpoints', 'show', 'HTTPS://App.Example.com/Events', ...account)).id).toBe(id);
    const other = await run(['events', 'endpoints', 'show', 'https://app.example.com/events', ...account]);
    expect([other.exitCode, other.stderr]).toEqual([1, expect.stringContaining('https://app.example.com/events')]);
  });
});

describe('a name that would be another path of the server', () => {
  it.each([
    ['customers', 'show', ''],
    ['customers', 'show', '.'],
    ['payouts', 'show', ''],
    ['payouts', 'show', '..'],
    ['parked', 'show', ''],
    ['programs', 'show', ''],
    ['personal-data', ''],
  ])('is refused there as beside the database: %s %s "%s"', async (...words) => {
    const local = await run([...words, '--account', first.accountId]);
    const remote = await run([...words, '--url', url, '--api-key', first.apiKey]);
    expect([local.stdout, remote.stdout]).toEqual(['', '']);
    expect([local.exitCode, remote.exitCode]).toEqual([1, 1]);
  });
});
