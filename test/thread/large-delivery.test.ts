import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { adapters } from '../../adapters/index.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { startServer } from '../../src/main.ts';
import { readConfig } from '../../src/process/config.ts';
import { loadFixtures } from '../adapters/fixtures.ts';
import { createTestDatabase, engines } from '../helpers/databases.ts';

describe.each(engines)('a server on %s', (engine) => {
  it('reads large deliveries on another thread, stores them once and shows them in parts', async ({
    onTestFinished,
  }) => {
    const adapter = await adapters.shopify();
    const interpret = vi.spyOn(adapter, 'interpret');
    const verify = vi.spyOn(adapter, 'verify');
    onTestFinished(() => {
      interpret.mockRestore();
      verify.mockRestore();
    });
    const database = await createTestDatabase(engine);
    onTestFinished(() => database.remove());
    const config = readConfig({
      PORT: '0',
      HOST: '127.0.0.1',
      DATABASE_URL: database.url,
      SECRET_KEY: Buffer.alloc(32, 3).toString('hex'),
    });
    const { url, service, close } = await startServer(config, pino({ level: 'silent' }));
    onTestFinished(close);
    const { apiKey } = await createAccount(service, { name: 'Example Ltd' });
    const secret = 'shpss_4f8a6c1d';
    const authorization = `Bearer ${apiKey}`;
    const get = (path: string) => fetch(url + path, { headers: { authorization } });
    const post = async (path: string, body: string | Buffer, headers: Record<string, string>) => {
      const answer = await fetch(url + path, { method: 'POST', body, headers });
      return [answer.status, (await answer.json()) as Record<string, string>] as const;
    };
    const [, endpoint] = await post(
      '/api/webhook-endpoints',
      JSON.stringify({ processor: 'shopify', secrets: [secret], shopDomain: 'shop-example.myshopify.com' }),
      { authorization, 'content-type': 'application/json' },
    );
    const fixture = (await loadFixtures('shopify')).find(({ name }) => name === 'orders_paid');
    const order = JSON.parse(fixture?.rawBody.toString() ?? '');
    const deliver = (note: string, signedWith = secret) => {
      const body = Buffer.from(JSON.stringify({ ...order, note }));
      const secrets = { secrets: [signedWith], shopDomain: 'shop-example.myshopify.com' };
      return post(`/webhooks/shopify/${endpoint.id}`, body, adapter.sign(body, secrets, Date.now(), 'orders/paid'));
    };

    const large = 'x'.repeat(200_000);
    expect(await deliver(large, 'forged')).toEqual([
      401,
      { error: { code: 'INVALID_SIGNATURE', message: 'The signature of this delivery could not be verified' } },
    ]);
    expect(await deliver(large)).toEqual([200, expect.objectContaining({ outcome: 'unattributed' })]);
    expect(await deliver(large)).toEqual([200, expect.objectContaining({ outcome: 'duplicate' })]);
    const { data } = (await (await get('/api/deliveries')).json()) as { data: { id: string }[] };
    expect(data).toHaveLength(1);
    const answer = await get(`/api/deliveries/${data[0]?.id}`);
    expect(answer.headers.get('transfer-encoding')).toBe('chunked');
    const shown = (await answer.json()) as { body: string };
    expect(shown).toMatchObject({ ...data[0], headers: expect.any(Object) });
    expect(JSON.parse(shown.body)).toEqual({ ...order, note: large });
    expect(interpret).not.toHaveBeenCalled();
    expect(verify).not.toHaveBeenCalled();
    expect((await deliver('short'))[0]).toBe(200);
    expect(interpret).toHaveBeenCalledOnce();
    expect(verify).toHaveBeenCalledOnce();
  });
});
