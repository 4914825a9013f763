import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../helpers/free-port.ts';
import { createWorkplace, type Running } from './run-cli.ts';

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const workplace = createWorkplace({ PORT: String(port), HOST: '127.0.0.1', BASE_URL: url });
const fixtures = resolve(import.meta.dirname, '../../fixtures');
const invoicePaid = join(fixtures, 'stripe/invoice.paid--first.json');

let server: Running;
let stripe: string;
let shopify: string;

beforeAll(async () => {
  server = workplace.start('serve');
  await server.saw(/listening/);
  await workplace.json('setup');
  const create = (...words: string[]) => workplace.json('endpoints', 'create', '--processor', ...words);
  stripe = (await create('stripe', '--secret', 'whsec_example')).id;
  shopify = (await create('shopify', '--secret', 'shpss_example', '--shop-domain', 'fern.myshopify.com')).id;
});
afterAll(() => workplace.remove());

describe('refbridge replay to a running server', () => {
  it('signs with the secret from the database and reports each delivery and its answer', async () => {
    const { exitCode, stdout } = await workplace.run(['replay', invoicePaid, '--endpoint', stripe]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^→ 1 stripe invoice\.paid {2}invoice\.paid--first\.json, \d+ bytes\n← 1 200 unattributed {2}[\d.]+ ms\n/,
    );
    expect(stdout).toMatch(/^unattributed +1 +[\d.]+ +[\d.]+$/m);
    expect(stdout).toContain('0 unexpected');
    expect(stdout).not.toContain('whsec_');
  });

  it('sends exactly the bytes of the file', async () => {
    const { data } = await workplace.json('deliveries', 'list', '--endpoint', stripe);
    const { body } = await workplace.json('deliveries', 'show', data[0].id);
    expect(body).toBe(readFileSync(invoicePaid, 'utf8'));
  });

  it('sends the same event many times at once, and it counts once', async () => {
    const fresh = ['--override', 'id=evt_{run}', '--override', 'data.object.id=in_{run}'];
    const many = ['--repeat', '40', '--concurrency', '8', '--expect', 'unattributed=1,duplicate=39', '--quiet'];
    const { exitCode, stdout } = await workplace.run(['replay', invoicePaid, '--endpoint', stripe, ...fresh, ...many]);
    expect(stdout).toMatch(/^duplicate +39 /m);
    expect(stdout).toMatch(/40 deliveries in [\d.]+ s/);
    expect(exitCode).toBe(0);
  });

  it('turns repeats into separate events when values are numbered', async () => {
    const numbered = ['--override', 'id=evt_{run}_{n}', '--override', 'data.object.id=in_{run}_{n}'];
    const words = ['replay', invoicePaid, '--endpoint', stripe, ...numbered, '--repeat', '5', '--json'];
    const { exitCode, stdout } = await workplace.run([...words, '--expect', 'unattributed=5']);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.slice(0, 5)).toEqual(
      [1, 2, 3, 4, 5].map((n) =>
        expect.objectContaining({ n, processor: 'stripe', eventType: 'invoice.paid', status: 200, expected: true }),
      ),
    );
    expect(lines[5].summary).toMatchObject({ deliveries: 5, unexpected: 0, missed: [] });
    expect(exitCode).toBe(0);
  });

  it.each([
    ['a byte that was changed after signing', ['--tamper'], 'rejected'],
    ['a signature that is an hour old', ['--timestamp', '-1h'], 'rejected'],
    ['a signature of 2001', ['--timestamp', '1000000000'], 'rejected'],
    ['a signature that is half a minute old', ['--timestamp', '-30s'], 'duplicate'],
  ])('finds %s %j', async (_what, options, outcome) => {
    const words = ['replay', invoicePaid, '--endpoint', stripe, ...options, '--expect', outcome];
    const { exitCode, stdout } = await workplace.run(words);
    expect(stdout).toContain(` ${outcome} `);
    expect(exitCode).toBe(0);
  });

  it('exits with 1 when an answer or a count is not as expected', async () => {
    const words = ['replay', invoicePaid, '--endpoint', stripe];
    const differs = await workplace.run([...words, '--expect', 'sale']);
    expect(differs.exitCode).toBe(1);
    expect(differs.stdout).toContain('(unexpected)');
    const missed = await workplace.run([...words, '--expect', 'duplicate=2']);
    expect(missed.exitCode).toBe(1);
    expect(missed.stdout).toContain('duplicate: 1 instead of 2');
    expect((await workplace.run([...words, '--tamper'])).exitCode).toBe(1);
  });

  it('sends everything, and exits with 1 if it should, also when nobody reads its output any more', async () => {
    const count = async () => (await workplace.json('deliveries', 'list', '--endpoint', stripe, '--all')).data.length;
    const before = await count();
    const numbered = ['--override', 'id=evt_{run}_{n}', '--override', 'data.object.id=in_{run}_{n}'];
    const words = ['replay', invoicePaid, '--endpoint', stripe, ...numbered, '--repeat', '40', '--expect', 'sale'];
    const { process: child } = workplace.start(...words);
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect((await once(child, 'close'))[0]).toBe(1);
    expect((await count()) - before).toBe(40);
  });

  it('reads folders, takes the topic of Shopify from the file name, and shuffles with a seed', async () => {
    const folder = join(workplace.folder, 'payloads');
    mkdirSync(join(folder, 'later'), { recursive: true });
    copyFileSync(join(fixtures, 'shopify/orders_paid.json'), join(folder, 'orders_paid--first.json'));
    copyFileSync(join(fixtures, 'shopify/refunds_create.json'), join(folder, 'later/refunds_create.json'));
    copyFileSync(
      join(fixtures, 'shopify/refunds_create.expected.json'),
      join(folder, 'later/refunds_create.expected.json'),
    );
    const words = ['replay', folder, '--endpoint', shopify, '--json', '--shuffle=7'];
    const { stdout, stderr } = await workplace.run(words);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(
      lines
        .map(({ eventType }) => eventType)
        .slice(0, 2)
        .sort(),
    ).toEqual(['orders/paid', 'refunds/create']);
    expect(stderr).toContain('shuffled with seed 7');
    expect((await workplace.run(words)).stdout.match(/"eventType":"[^"]+"/g)).toEqual(
      stdout.match(/"eventType":"[^"]+"/g),
    );
  });

  it('needs no database when processor, secret and URL are given', async () => {
    const words = ['replay', invoicePaid, '--processor', 'stripe', '--forward-to', `${url}/webhooks/stripe/${stripe}`];
    const environment = { DATABASE_URL: 'file:./nowhere/x.db', REFBRIDGE_SECRET: 'whsec_example' };
    const accepted = await workplace.run([...words, '--expect', 'duplicate'], { environment });
    expect(accepted.exitCode).toBe(0);
    const refused = await workplace.run([...words, '--secret', 'whsec_other', '--expect', 'rejected']);
    expect(refused.exitCode).toBe(0);
    const unsigned = await workplace.run(words);
    expect(unsigned.exitCode).toBe(4);
    expect(unsigned.stderr).toContain('REFBRIDGE_SECRET');
  });

  it('exits with 3 when nothing listens, without trying every delivery', async () => {
    const words = [
      'replay',
      invoicePaid,
      '--endpoint',
      stripe,
      '--repeat',
      '1000',
      '--forward-to',
      'http://127.0.0.1:1',
    ];
    const { exitCode, stdout, stderr } = await workplace.run(words);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`Nothing answers at http://127.0.0.1:1/webhooks/stripe/${stripe}`);
    expect(stdout.match(/^→/gm)).toHaveLength(1);
  });

  it('exits with 4 for an endpoint without a secret', async () => {
    const { id } = await workplace.json('endpoints', 'create', '--processor', 'polar');
    const { exitCode, stderr } = await workplace.run([
      'trigger',
      'polar',
      'order.paid',
      '--variant',
      'trial',
      '--endpoint',
      id,
    ]);
    expect(exitCode).toBe(4);
    expect(stderr).toContain(`npm run refbridge -- endpoints update ${id} --secret-stdin`);
  });

  it('exits with 2 when an override matches nothing, before it sends anything', async () => {
    const words = ['replay', invoicePaid, '--endpoint', stripe, '--override', 'data.objct.amount=1'];
    const { exitCode, stdout, stderr } = await workplace.run(words);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('no object or list at data.objct');
    expect(stdout).toBe('');
  });

  it('exits with 2 when --expect names nothing, as with a variable that is not set', async () => {
    const { exitCode, stderr } = await workplace.run(['replay', invoicePaid, '--endpoint', stripe, '--expect', '']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('It must be one of failed, sale');
  });
});

describe('refbridge trigger', () => {
  it('dates its events within the last day, the same all day, unless told to keep their dates', async () => {
    const ids = ['--override', 'id=evt_dated', '--override', 'data.object.id=in_dated'];
    const words = ['trigger', 'stripe', 'invoice.paid', '--variant', 'first', '--endpoint', stripe, ...ids];
    await workplace.run(words);
    const parked = await workplace.json('parked', 'list');
    const age = Date.now() - Date.parse(parked.data[0].occurredAt);
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(86_400_000 + 60_000);
    const again = await workplace.run([...words, '--json']);
    expect(again.stdout).toContain('"duplicate"');
  });

  it('needs no variant when there is only one, and lists them when there are several', async () => {
    const { exitCode, stderr } = await workplace.run(['trigger', 'stripe', 'invoice.paid', '--endpoint', stripe]);
    expect(stderr).toMatch(
      /stripe has several examples of invoice\.paid\. Choose one:\n(.*\n)* {2}invoice\.paid --variant first\n/,
    );
    expect(exitCode).toBe(2);
  });

  it('delivers a bundled example for a partner, as an operator would type it', async () => {
    const partner = await workplace.json('partners', 'create', '--name', 'Ana', '--email', 'ana@example.com');
    const words = ['trigger', 'shopify', 'orders/paid', '--variant', 'renewal', '--endpoint', 'shopify'];
    const { exitCode } = await workplace.run([...words, '--expect', 'unattributed']);
    expect(exitCode).toBe(0);
    const { data } = await workplace.json('parked', 'list', '--limit', '1');
    const sale = await workplace.json('parked', 'attribute', data[0].id, '--partner', partner.id);
    expect(sale).toMatchObject({ partnerId: partner.id, paymentProcessor: 'shopify', status: expect.any(String) });
    const shown = await workplace.run(['sales', 'show', sale.id]);
    expect(shown.stdout).toMatch(/by_hand +ptr_\w+ +matched +given by hand: a partner/);
    expect(shown.stdout).toMatch(/^partner +Ana$/m);
    expect(shown.stdout).toMatch(/^amount +\d+\.\d\d [A-Z]{3}$/m);
    expect(shown.stdout).toMatch(/^terms +20% of net, from the program, without end, held for 30 days$/m);
    const listed = await workplace.run(['sales', 'list']);
    expect(listed.stdout).toMatch(/^id +date +processor .*\n.*sal_\w+ +\d{4}-\d\d-\d\d \d\d:\d\d +shopify .* Ana /);
    expect(shown.stdout).toMatch(/Ledger\n.*\n.* commission /);

    // the order that was replayed earlier has the same payer, so it was attributed as well
    const before = await workplace.json('sales', 'list');
    expect(before.data).toHaveLength(2);
    const again = await workplace.run(['deliveries', 'list', '--outcome', 'sale', '--json']);
    const [delivery] = JSON.parse(again.stdout).data;
    const retried = await workplace.json('deliveries', 'retry', delivery.id);
    expect(retried.data).toEqual([expect.objectContaining({ deliveryId: delivery.id, outcome: 'sale' })]);
    expect(await workplace.json('sales', 'list')).toEqual(before);
  });
});
