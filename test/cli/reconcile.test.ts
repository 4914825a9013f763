import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { answerJson } from '../adapters/api-answers.ts';
import { fixtureOf } from '../adapters/fixtures.ts';
import { type ListedRecord, polarRecord } from '../adapters/polar-records.ts';
import { SHOP, TOKEN as SHOP_TOKEN, startShop } from '../adapters/shopify-api.ts';
import { freePort } from '../helpers/free-port.ts';
import { listenLocally } from '../helpers/listen-locally.ts';
import { declareStub } from '../helpers/test-servers.ts';
import { newSale } from './new-sale.ts';
import { createWorkplace, type Running } from './run-cli.ts';

const TOKEN = 'polar_oat_example';
const SINCE = '2026-01-01';
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const workplace = createWorkplace({
  PORT: String(port),
  HOST: '127.0.0.1',
  BASE_URL: url,
  EVENT_ALLOWED_HOSTS: '127.0.0.1',
});
/** What Polar's API lists; a status other than 200 is answered without a list. */
const polar = { orders: [] as ListedRecord[], status: 200, asked: 0 };
let api: Server;
let server: Running;
let remote: string[];
let customer: string;

beforeAll(async () => {
  api = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://127.0.0.1');
    polar.asked += 1;
    const items = pathname === '/v1/orders/' ? polar.orders : [];
    if (polar.status !== 200) answerJson(response, { detail: 'not now' }, polar.status, { 'retry-after': '1' });
    else answerJson(response, { items, pagination: { total_count: items.length, max_page: 1 } });
  });
  const apiUrl = await listenLocally(api);
  declareStub(apiUrl);
  server = workplace.start('serve');
  await server.saw(/listening/);
  const { apiKey } = await workplace.json('setup', '--name', 'Example Ltd');
  remote = ['--url', url, '--api-key', apiKey];
  ({ customer } = await newSale({ json: workplace.json, url, apiKey }));
  const words = ['endpoints', 'create', '--processor', 'polar', '--access-token-stdin', '--api-url', apiUrl];
  const created = await workplace.spawn(words, { input: `${TOKEN}\n` });
  expect([created.exitCode, created.stdout.includes(TOKEN)]).toEqual([0, false]);
});
afterAll(async () => {
  await workplace.remove();
  api.closeAllConnections();
  api.close();
});

let orders = 0;
/** Another paid order of the customer. */
async function newOrder(): Promise<ListedRecord> {
  orders += 1;
  const record = polarRecord(await fixtureOf('polar', 'order.paid--renewal'));
  return {
    ...record,
    id: `00000000-0000-4000-8000-${String(orders).padStart(12, '0')}`,
    metadata: { svcCustomerExternalId: customer },
    created_at: new Date(Date.now() - 60_000).toISOString(),
    modified_at: null,
  };
}

/** Without what differs between two runs. */
function alike(printed: string) {
  const { id, createdAt, startedAt, endedAt, until, createdBy, ...run } = JSON.parse(printed);
  expect([id, createdAt, startedAt, endedAt, until, createdBy].every(Boolean)).toBe(true);
  return run;
}

const reconcile = (...words: string[]) => ['reconcile', 'polar', '--since', SINCE, ...words];

describe('refbridge reconcile', () => {
  it('prints the same beside the database as over HTTP, in a dry run, and books what is missing', async () => {
    polar.orders = [await newOrder()];
    const local = await workplace.run(reconcile('--dry-run', '--json'));
    const there = await workplace.run([...remote, ...reconcile('--dry-run', '--json')]);
    expect([local.exitCode, local.stderr, there.exitCode, there.stderr]).toEqual([0, '', 0, '']);
    expect(alike(there.stdout)).toEqual(alike(local.stdout));
    expect(alike(local.stdout)).toMatchObject({ dryRun: true, status: 'completed', counts: { read: 1, sales: 1 } });

    const dry = await workplace.run([...remote, ...reconcile('--dry-run')]);
    expect(dry.stderr).toBe('Read 1: 0 known, 0 ignored, 1 missing: 1 sale. Nothing was stored.\n');
    expect(dry.stdout).toMatch(/^time +event +invoice +amount +outcome +partner +commission +delivery\n/);
    const booked = await workplace.run([...remote, ...reconcile()]);
    expect([booked.exitCode, booked.stderr]).toEqual([0, 'Read 1: 0 known, 0 ignored, 1 missing: 1 sale.\n']);
    expect(booked.stdout).toMatch(/order\.paid .* sale +Ana .* dlv_/);
    const again = await workplace.run([...remote, ...reconcile()]);
    expect([again.stdout, again.stderr]).toEqual(['', 'Read 1: 1 known, 0 ignored. Nothing is missing.\n']);
  });

  it('waits for an API that does not answer', async () => {
    polar.orders = [await newOrder()];
    polar.status = 503;
    const running = workplace.run([...remote, ...reconcile('--json')]);
    const error = 'Polar did not answer the request for orders: status 503';
    await expect.poll(newestState, { timeout: 20_000 }).toEqual({ status: 'waiting', error });
    polar.status = 200;
    const { exitCode, stdout } = await running;
    expect([exitCode, alike(stdout)]).toMatchObject([0, { status: 'completed', counts: { sales: 1 } }]);
  });

  it('says why it fails', async () => {
    polar.status = 401;
    const refused = await workplace.run([...remote, ...reconcile()]);
    polar.status = 200;
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('Polar refused the access token for orders (401)');
    expect(refused.stderr).not.toContain(TOKEN);
    const { exitCode, stderr } = await workplace.run(['reconcile', 'polar']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--since')]);
    const unknown = await workplace.run(reconcile('--since', 'last week'));
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('--since')]);
    const { id } = await workplace.json('endpoints', 'create', '--processor', 'revenuecat');
    const none = await workplace.run(['reconcile', id, '--since', SINCE]);
    expect([none.exitCode, none.stderr]).toEqual([1, expect.stringContaining('RevenueCat has no list')]);
    const paddle = await workplace.json('endpoints', 'create', '--processor', 'paddle');
    const tokenless = await workplace.run(['reconcile', 'paddle', '--since', SINCE]);
    expect([tokenless.exitCode, tokenless.stderr]).toEqual([
      4,
      expect.stringContaining(`endpoints update ${paddle.id} --access-token-stdin`),
    ]);
    const both = await workplace.run(['endpoints', 'update', 'polar', '--secret-stdin', '--access-token-stdin']);
    expect([both.exitCode, both.stderr]).toEqual([2, expect.stringContaining('to one command each')]);
  });

  it('says what the access token may not read', async () => {
    const shop = await startShop();
    onTestFinished(() => shop.close());
    const settings = ['--access-token-stdin', '--shop-domain', SHOP, '--api-url', shop.url];
    await workplace.spawn(['endpoints', 'create', '--processor', 'shopify', ...settings], { input: `${SHOP_TOKEN}\n` });
    shop.scopes.push('read_all_orders');
    const words = ['reconcile', 'shopify', '--since', SINCE];
    const reason = 'the access token does not have the access scope read_shopify_payments_disputes';
    const printed = await workplace.run([...remote, ...words]);
    expect([printed.exitCode, printed.stdout]).toEqual([0, '']);
    expect(printed.stderr).toBe(
      'Read 0: 0 known, 0 ignored. Nothing is missing.\n' +
        `Not read: disputes. Why: ${reason}; a shop without Shopify Payments has no disputes.\n`,
    );
    const json = await workplace.run([...remote, ...words, '--json']);
    expect(alike(json.stdout).notRead).toEqual([{ what: 'disputes', reason: expect.stringContaining(reason) }]);
  });

  it('does the work itself without a server, and continues after Ctrl-C', async () => {
    await server.stop();
    polar.orders = [await newOrder(), await newOrder()];
    polar.status = 503;
    const stopped = workplace.start(...reconcile());
    const before = polar.asked;
    await expect.poll(() => polar.asked, { timeout: 20_000 }).toBeGreaterThan(before);
    expect(await stopped.stop('SIGINT')).toBe(130);
    polar.status = 200;
    const { exitCode, stdout, stderr } = await workplace.run(reconcile());
    expect([exitCode, stdout.split('\n').length]).toEqual([0, 4]);
    expect(stderr).toMatch(/^Continuing rec_\w+, which was created at .*\n.*2 missing: 2 sales\.\n$/);
  });
});

async function newestState(): Promise<unknown> {
  const response = await fetch(`${url}/api/reconciliations`, { headers: { authorization: `Bearer ${remote[3]}` } });
  const { data } = (await response.json()) as { data: { status: string; error: string | null }[] };
  return data[0] && { status: data[0].status, error: data[0].error };
}
