import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/accounts.ts';
import { PROCESSORS, type Processor } from '../../src/core/processor.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';

const SECRET = 'whsec_c2VjcmV0LW9mLXRoaXMtdGVzdA==';
const OTHER = 'whsec_YW5vdGhlci1zZWNyZXQtYWx0b2dldGhlcg==';
const BODY = Buffer.from(JSON.stringify({ id: 'evt_1', type: 'invoice.paid', buyer: 'ada@example.com' }));

describe.each(engines)('refused deliveries on %s', (engine) => {
  let app: TestApp;
  let now = 1_790_000_000_000;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
  });
  afterAll(() => app.close());

  const create = async (processor: Processor, members: object): Promise<string> =>
    (await app.call('POST', '/api/webhook-endpoints', { body: { processor, ...members } })).body.id;
  const membersFor = (processor: Processor) => ({
    ...(processor === 'revenuecat' ? { authorization: SECRET } : { secrets: [SECRET] }),
    ...(processor === 'shopify' ? { shopDomain: 'shop.myshopify.com' } : {}),
  });
  const sign = async (processor: Processor, secret: string, signedAt = now) => {
    const adapter = await app.service.adapterFor(processor);
    const isText = processor === 'revenuecat';
    const secrets = { secrets: isText ? [] : [secret], authorization: isText ? secret : null, shopDomain: null };
    return adapter.sign(BODY, secrets, signedAt);
  };
  const refuse = async (processor: Processor, id: string, headers: Record<string, string>) => {
    const address = `${app.url}/webhooks/${processor}/${id}`;
    const { status } = await fetch(address, { method: 'POST', body: BODY, headers });
    expect(status).toBe(401);
  };
  const refusals = async (id: string) => (await app.call('GET', `/api/webhook-endpoints/${id}/refusals`)).body.data;

  it.each(PROCESSORS)('of %s show what is wrong and what to do, but no header values', async (processor) => {
    const id = await create(processor, processor === 'shopify' ? { shopDomain: 'shop.myshopify.com' } : {});
    const steps: [cause: string, headers: Record<string, string>][] = [
      ['no_secret', await sign(processor, SECRET)],
      ['no_signature', { 'content-type': 'application/json' }],
      ['not_verified', await sign(processor, OTHER)],
    ];
    for (const [cause, headers] of steps) {
      await refuse(processor, id, headers);
      await expect.poll(async () => (await refusals(id))[0]?.cause).toBe(cause);
      const [latest] = await refusals(id);
      expect(latest).toMatchObject({ count: 1, lastRefusedAt: new Date(now).toISOString() });
      expect(latest.reason.length).toBeGreaterThan(20);
      expect(latest.advice).toMatch(/^[A-Z].{30,}\.$/);
      // at some processors, the secret is of one's own choice
      expect(latest.advice).not.toContain('shows');
      expect(latest.headerNames).toEqual(
        expect.arrayContaining(Object.keys(headers).map((name) => name.toLowerCase())),
      );
      const text = JSON.stringify({ ...latest, eventType: null, firstRefusedAt: null, lastRefusedAt: null });
      const values = [SECRET, OTHER, 'ada@example.com', '127.0.0.1', ...Object.values(headers)];
      for (const value of values.filter(({ length }) => length > 8)) expect(text).not.toContain(value);
      await app.call('PATCH', `/api/webhook-endpoints/${id}`, { body: membersFor(processor) });
      now += 60_000;
    }
    expect((await refusals(id)).map(({ cause }: { cause: string }) => cause)).toEqual([
      'not_verified',
      'no_signature',
      'no_secret',
    ]);
  });

  it('of RevenueCat name the header that is missing, whichever the endpoint requires', async () => {
    const required = { authorization: { authorization: SECRET }, signature: { secrets: [SECRET] } };
    const both = { ...required.authorization, ...required.signature };
    const sent = { authorization: SECRET };
    const unsigned = 'X-RevenueCat-Webhook-Signature';
    const cases: [members: object, headers: Record<string, string>, missing: string][] = [
      [required.authorization, {}, 'Authorization'],
      [required.authorization, { [unsigned]: 't=1,v1=00' }, 'Authorization'],
      [required.signature, {}, unsigned],
      [required.signature, sent, unsigned],
      [both, {}, 'Authorization'],
      [both, sent, unsigned],
    ];
    for (const [members, headers, missing] of cases) {
      const id = await create('revenuecat', members);
      await refuse('revenuecat', id, headers);
      await expect.poll(async () => (await refusals(id))[0]?.cause).toBe('no_signature');
      expect((await refusals(id))[0].advice).toContain(`the header ${missing},`);
    }
  });

  it('name the clock when a correct signature has a wrong time', async () => {
    for (const processor of PROCESSORS) {
      const { signsTime } = await app.service.adapterFor(processor);
      if (!signsTime || processor === 'revenuecat') continue;
      const id = await create(processor, membersFor(processor));
      await refuse(processor, id, await sign(processor, SECRET, now - 3_600_000));
      await expect.poll(async () => (await refusals(id))[0]?.cause, { message: processor }).toBe('stale');
      expect((await refusals(id))[0].advice).toContain('clock');
    }
  });

  it('cause few writes, however many arrive, and each kind of reason stays visible', async () => {
    const id = await create('stripe', membersFor('stripe'));
    let writeCount = 0;
    const { write } = app.service.database;
    app.service.database.write = (unit) => {
      writeCount += 1;
      return write(unit);
    };
    const flood = async () => {
      const headers = await sign('stripe', OTHER);
      await Promise.all(Array.from({ length: 50 }, () => refuse('stripe', id, headers)));
    };
    await flood();
    await expect.poll(() => writeCount).toBe(1);
    now += 3_000;
    await flood();
    expect(writeCount).toBe(1);
    await refuse('stripe', id, {});
    await expect.poll(() => writeCount).toBe(2);
    now += 11_000;
    await flood();
    await expect.poll(() => writeCount).toBe(3);
    app.service.database.write = write;
    await expect.poll(async () => (await refusals(id)).map(({ count }: { count: number }) => count)).toEqual([2, 1]);
  });

  it('are kept only for the endpoint’s own account, as long as the endpoint exists', async () => {
    const id = await create('stripe', {});
    await refuse('stripe', id, {});
    await expect.poll(async () => (await refusals(id)).length).toBe(1);
    const stranger = await createAccount(app.service, { name: 'Elsewhere' });
    const path = `/api/webhook-endpoints/${id}/refusals`;
    expect((await app.call('GET', path, { key: stranger.apiKey })).status).toBe(404);
    expect((await app.call('DELETE', `/api/webhook-endpoints/${id}`)).status).toBe(204);
    expect((await app.call('GET', path)).status).toBe(404);
    const sql = 'SELECT COUNT(*) AS count FROM webhook_refusals WHERE endpoint_id = @id';
    const left = await app.service.database.read((tx) => tx.get<{ count: number }>(sql, { id }));
    expect(Number(left?.count)).toBe(0);
  });
});
