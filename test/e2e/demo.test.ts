import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { PROCESSORS } from '../../src/core/processor.ts';
import { createWorkplace } from '../cli/run-cli.ts';
import { VISITOR } from '../helpers/story.ts';

const workplace = createWorkplace();
afterAll(() => workplace.remove());

describe('refbridge demo', () => {
  it('shows sales of every processor, each with its partner and the step that decided', async () => {
    const { exitCode, stdout } = await workplace.spawn(['demo', '--once', '--no-history', '--json']);
    expect(exitCode).toBe(0);
    const { ok, steps, sales, partners, problems } = JSON.parse(stdout);
    expect(problems).toEqual([]);
    expect(ok).toBe(true);
    expect(new Set(sales.map((sale: { processor: string }) => sale.processor))).toEqual(new Set(PROCESSORS));
    const came = new Set(steps.map((step: { came: string }) => step.came));
    const words = ['sale', 'duplicate', 'rejected', 'noted', 'reversal', 'unattributed', '409 DUPLICATE_INVOICE'];
    expect([...came]).toEqual(expect.arrayContaining(words));
    for (const { partner, reason } of sales) {
      expect(['ana', 'ben', 'cleo']).toContain(partner);
      expect(reason).not.toBe('');
    }
    for (const { earned, reversed, held, balance } of partners) expect(balance).toBe(earned - reversed - held);
  });

  it('keeps serving until it is interrupted, with a working key', async () => {
    const demo = workplace.start('demo');
    const [, url] = await demo.saw(/keeps running at (http:\/\/[\d.:]+)/);
    const [, apiKey] = await demo.saw(/export KEY=(rb_live_\w+)/);
    const answer = await fetch(`${url}/api/sales`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(answer.status).toBe(200);
    const [signInUrl] = await demo.saw(/http:\/\/[\d.:]+\/dashboard\/\S+/);
    expect(new URL(signInUrl).origin).toBe(url);
    const [, shopUrl = ''] = await demo.saw(/where you follow her link and buy:\s+(http:\/\/[\d.:]+)/);
    await buyThroughLink(shopUrl, { serviceUrl: url ?? '', apiKey: apiKey ?? '' });
    await expectInOrder(url ?? '', apiKey ?? '');
    expect(await demo.stop('SIGINT')).toBe(0);
    await expect(fetch(`${url}/api/sales`)).rejects.toThrow();
    await expect(fetch(shopUrl)).rejects.toThrow();
  });

  it('deletes its temporary folder when it is interrupted before it serves', async () => {
    const folders = () => readdirSync(workplace.folder).filter((name) => name.startsWith('refbridge-demo-'));
    let interrupt = () => {};
    const ended = workplace.spawn(['demo'], {
      environment: { TMPDIR: workplace.folder },
      onStart(pid) {
        interrupt = () => process.kill(pid, 'SIGINT');
      },
    });
    await vi.waitUntil(() => folders().length > 0, { timeout: 60_000 });
    interrupt();
    expect((await ended).exitCode).toBe(130);
    expect(folders()).toEqual([]);
  });
});

/** Acts as a visitor of the shop: Ana's link, the button, and a look at her portal in the frame. */
async function buyThroughLink(shopUrl: string, { serviceUrl, apiKey }: { serviceUrl: string; apiKey: string }) {
  const stranger = await (await fetch(shopUrl)).text();
  expect(stranger).toContain('<button disabled>');
  const linkUrl = /<a href="([^"]+)"/.exec(stranger)?.[1] ?? '';
  const visit = await fetch(linkUrl, { headers: { 'user-agent': VISITOR }, redirect: 'manual' });
  const arrival = await fetch(visit.headers.get('location') ?? '');
  expect(new URL(arrival.url).origin).toBe(shopUrl);
  const cookie = arrival.headers.get('set-cookie')?.split(';')[0] ?? '';
  const page = await arrival.text();
  expect(page).toContain('Ana sent you here');
  const bought = await fetch(`${shopUrl}/buy`, { method: 'POST', headers: { cookie }, redirect: 'manual' });
  expect([bought.status, bought.headers.get('location')]).toEqual([303, '/?bought=1']);
  const headers = { authorization: `Bearer ${apiKey}` };
  const { data } = (await (await fetch(`${serviceUrl}/api/sales?limit=1`, { headers })).json()) as { data: object[] };
  expect(data).toMatchObject([{ amount: 4900, commissionAmount: 980, invoiceId: expect.stringMatching(/^shop-/) }]);
  const frameUrl = /<iframe src="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const frame = await fetch(frameUrl);
  expect([frame.status, frame.headers.get('content-security-policy')]).toEqual([
    200,
    expect.stringContaining(`frame-ancestors 'self' ${shopUrl}`),
  ]);
  expect(arrival.headers.get('content-security-policy')).toContain(`frame-src ${serviceUrl};`);
}

/** No refund or dispute of today's story is older than the payment of its sale. */
async function expectInOrder(url: string, apiKey: string) {
  const get = async (path: string) =>
    (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${apiKey}` } })).json();
  const { data } = (await get('/api/sales?limit=20')) as { data: { id: string }[] };
  const processors = new Set<string>();
  for (const { id } of data) {
    const { occurredAt, refunds, disputes } = (await get(`/api/sales/${id}`)) as StoredSale;
    for (const reversal of [...refunds, ...disputes]) {
      processors.add(reversal.processor);
      expect(reversal.occurredAt >= occurredAt, `${reversal.processor}: ${reversal.occurredAt} < ${occurredAt}`).toBe(
        true,
      );
    }
  }
  expect([...processors].toSorted()).toEqual(['lemon-squeezy', 'polar', 'shopify', 'stripe']);
}

interface StoredSale {
  occurredAt: string;
  refunds: { processor: string; occurredAt: string }[];
  disputes: { processor: string; occurredAt: string }[];
}
