import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFileQueue } from '../../src/client/file-queue.ts';
import {
  type Client,
  type ClientError,
  ConflictError,
  createClient,
  DuplicateInvoiceError,
  ForbiddenError,
  InvalidClickIdError,
  NotFoundError,
  UnauthorizedError,
  ValidationError,
} from '../../src/client/index.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';

let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await createTestApp('sqlite');
  client = createClient({ baseUrl: app.url, apiKey: app.apiKey });
});
afterAll(() => app.close());

const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };

describe('the client, with a running service,', () => {
  it('takes a referral from the partner to the payout', async () => {
    const [{ id: programId } = { id: '' }] = (await client.programs.list()).data;
    const commission = { type: 'percentage' as const, rateBasisPoints: 2000 };
    const program = await client.programs.update(programId, { commission });
    expect(program.commission).toEqual(commission);
    const partner = await client.partners.create({ programId: program.id, name: 'Anna', email: 'anna@example.com' });
    const link = await client.links.create({
      partnerId: partner.id,
      domain: new URL(app.url).host,
      key: 'anna',
      url: 'https://shop.example.com/',
    });
    expect((await client.links.get(link.id)).shortLink).toBe(link.shortLink);

    const visit = await client.links.follow('anna', { headers: BROWSER });
    const target = new URL(visit.headers.get('location') ?? '');
    const clickId = target.searchParams.get('svc_id');
    expect([visit.status, target.host]).toEqual([302, 'shop.example.com']);
    expect(await client.trackLead({ clickId, eventName: 'Sign up', customerExternalId: 'user_1' })).toMatchObject({
      status: 'recorded',
    });
    const sale = await client.sales.report({
      customerExternalId: 'user_1',
      amount: 5000,
      currency: 'eur',
      invoiceId: 'i1',
    });
    expect(sale).toMatchObject({ sale: { amount: 5000, currency: 'eur' } });

    const [stored] = (await client.sales.list({ invoiceId: 'i1' })).data;
    const detail = await client.sales.get(stored?.id ?? '');
    expect(detail).toMatchObject({ partnerId: partner.id, amount: 5000 });
    await client.sales.reportRefund(detail.id, { refundId: 'r1', amount: 2500 });
    await client.refunds.report({ invoiceId: 'i1', refundId: 'r2', amount: 500 });
    await client.adjustments.create({ partnerId: partner.id, amount: 99, currency: 'eur', reason: 'Thanks' });
    const amounts: number[] = [];
    for await (const entry of client.ledger.listEntries({ partnerId: partner.id, limit: 1 }))
      amounts.push(entry.amount);
    // the newest first
    expect(amounts).toEqual([99, -100, -500, 1000]);

    expect((await client.partners.getEarnings(partner.id)).data.length).toBeGreaterThan(0);
    expect((await client.payouts.run({ dryRun: true })).dryRun).toBe(true);
    expect(await (await client.payouts.export({ format: 'csv' })).text()).toContain('currency');
    expect((await client.statistics.get({ programId: program.id })).totals).toMatchObject({ sales: 1 });
    expect((await client.customers.get('user_1')).clickId).toBe(clickId);
    expect((await client.leads.list({ customerExternalId: 'user_1' })).data).toHaveLength(1);
  });

  it('reads every page of a list', async () => {
    for (let index = 0; index < 7; index += 1) {
      await client.partners.create({ name: `Partner ${index}`, email: `p${index}@example.com` });
    }
    const names: string[] = [];
    for await (const { name } of client.partners.list({ limit: 3, search: 'Partner' })) names.push(name);
    expect(names).toEqual([6, 5, 4, 3, 2, 1, 0].map((index) => `Partner ${index}`));
    const sizes: number[] = [];
    for await (const { data } of client.partners.list({ limit: 3, search: 'Partner' }).pages()) sizes.push(data.length);
    expect(sizes).toEqual([3, 3, 1]);
  });

  it("throws the service's refusals as errors with their own class", async () => {
    await expect(client.partners.get('ptr_unknown')).rejects.toBeInstanceOf(NotFoundError);
    const invalid = client.partners.create({ name: 'Anna', email: 'no address' });
    await expect(invalid).rejects.toMatchObject({
      constructor: ValidationError,
      details: [{ path: 'email', message: expect.any(String) }],
      requestId: expect.any(String),
    });
    const twice = { name: 'Twice', email: 'twice@example.com' };
    await client.partners.create(twice);
    await expect(client.partners.create(twice)).rejects.toBeInstanceOf(ConflictError);
    const sale = { customerExternalId: 'user_1', amount: 100, currency: 'eur', invoiceId: 'twice' };
    await client.sales.report(sale);
    await expect(client.sales.report(sale)).rejects.toBeInstanceOf(DuplicateInvoiceError);
    const unknown = client.track.lead({ clickId: 'clk_unknown', eventName: 'Sign up', customerExternalId: 'user_9' });
    await expect(unknown).rejects.toBeInstanceOf(InvalidClickIdError);
    const stranger = createClient({ baseUrl: app.url, apiKey: 'rb_live_unknown' });
    await expect(stranger.overview.get()).rejects.toBeInstanceOf(UnauthorizedError);
    await expect(client.operators.list()).rejects.toBeInstanceOf(ForbiddenError);
  });

  it('manages keys and webhook endpoints', async () => {
    const { id, key } = await client.apiKeys.create({ name: 'backend', scope: 'read' });
    const reader = createClient({ baseUrl: app.url, apiKey: key });
    expect((await reader.overview.get()).account.name).toBe('Example Ltd');
    await expect(reader.programs.create({ name: 'No' })).rejects.toBeInstanceOf(ForbiddenError);
    await client.apiKeys.revoke(id);
    await expect(reader.overview.get()).rejects.toBeInstanceOf(UnauthorizedError);

    const endpoint = await client.webhookEndpoints.create({ processor: 'stripe', secrets: ['whsec_example'] });
    const forged = client.webhooks.receive('stripe', endpoint.id, '{"id":"evt_1"}', {
      headers: { 'stripe-signature': 't=1,v1=00' },
    });
    await expect(forged).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' });
    expect((await client.webhookEndpoints.list()).data.map((listed) => listed.id)).toEqual([endpoint.id]);
    await client.webhookEndpoints.delete(endpoint.id);
    await expect(client.webhookEndpoints.get(endpoint.id)).rejects.toBeInstanceOf(NotFoundError);
    expect((await client.deliveries.list()).data).toEqual([]);
  });

  it("shows a partner their portal with an embed token, and the service's health without any", async () => {
    const partner = await client.partners.create({ name: 'Portal', email: 'portal@example.com', tenantId: 'tenant_7' });
    const { publicToken } = await client.portal.createEmbedToken({ tenantId: 'tenant_7' });
    const config = await client.portal.getConfig({ token: publicToken });
    expect(config.programName).toBe((await client.programs.get(partner.programId)).name);
    await expect(client.portal.getTerms()).rejects.toBeInstanceOf(UnauthorizedError);
    const anybody = createClient({ baseUrl: app.url, apiKey: undefined });
    expect(await anybody.service.getLiveness()).toMatchObject({ status: 'ok' });
    expect(await (await anybody.service.getScript()).text()).toContain('refbridge');
  });
});

describe('a queue in a file', () => {
  it('outlives the process, and nobody else can read it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'refbridge-queue-'));
    try {
      const path = join(folder, 'data', 'queue.json');
      const unreachable = { baseUrl: 'http://127.0.0.1:1', apiKey: app.apiKey, timeoutMs: 200 };
      const before = createClient({ ...unreachable, queueStore: createFileQueue(path) });
      const sale = { customerExternalId: 'user_1', amount: 700, currency: 'eur', invoiceId: 'queued' };
      expect(await before.trackSale(sale)).toMatchObject({ status: 'queued' });
      await before.flush();
      expect((await stat(path)).mode & 0o777).toBe(0o600);

      const after = createClient({ baseUrl: app.url, apiKey: app.apiKey, queueStore: createFileQueue(path) });
      expect(await after.flush()).toBe(0);
      expect((await client.sales.list({ invoiceId: 'queued' })).data).toHaveLength(1);
      expect(await readFile(path, 'utf8')).toBe('[]');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('reports a file that is not its own', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'refbridge-queue-'));
    try {
      const path = join(folder, 'queue.json');
      await writeFile(path, 'Dear diary');
      const problems: ClientError[] = [];
      const onProblem = (error: ClientError) => void problems.push(error);
      await createClient({
        baseUrl: app.url,
        apiKey: app.apiKey,
        queueStore: createFileQueue(path),
        onProblem,
      }).flush();
      expect(problems.map(({ code }) => code)).toEqual(['STORE_FAILED']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
