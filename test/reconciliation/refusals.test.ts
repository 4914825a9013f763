import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { createSealer } from '../../src/process/sealer.ts';
import { createReconciliation } from '../../src/reconciliation/reconciliations.ts';
import { continueReconciliations } from '../../src/reconciliation/work.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint } from '../helpers/story.ts';
import { createStage, type Stage, since } from './stage.ts';

describe.each(engines)('a reconciliation is refused, on %s,', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
  });
  afterAll(() => stage.app.close());

  const begin = async (endpointId: string, body: object = { since: since() }) =>
    stage.app.call('POST', `/api/webhook-endpoints/${endpointId}/reconcile`, { body });

  it('without an access token, saying which one the processor calls so', async () => {
    const { id } = await createEndpoint(stage.app, 'polar');
    const { status, body } = await begin(id);
    expect([status, body.error.code]).toEqual([409, 'INVALID_STATE']);
    expect(body.error.message).toMatch(/has no access token to read with.*polar_oat_/);
    const patched = await stage.app.call('PATCH', `/api/webhook-endpoints/${id}`, {
      body: { accessToken: 'polar_oat_x' },
    });
    expect(patched.body).toMatchObject({ hasAccessToken: true, secretCount: 1 });
    expect(patched.text).not.toContain('polar_oat_x');
  });

  it.each(['revenuecat', 'lemon-squeezy'] as const)('for %s, whose API has no list of the past', async (processor) => {
    const { id } = await createEndpoint(stage.app, processor);
    const { status, body } = await begin(id);
    expect([status, body.error.code]).toEqual([409, 'INVALID_STATE']);
    expect(body.error.message).toMatch(/resend the failed/);
    const path = `/api/webhook-endpoints/${id}`;
    expect((await stage.app.call('PATCH', path, { body: { accessToken: 'x' } })).status).toBe(400);
  });

  it('at an address that the operator of the server has not named', async () => {
    const refused = { processor: 'stripe', accessToken: 'rk_live_x', apiUrl: 'http://169.254.169.254/v1' };
    const { status, body } = await stage.app.call('POST', '/api/webhook-endpoints', { body: refused });
    expect([status, body.error.details?.[0]?.path]).toEqual([400, 'apiUrl']);
    expect(body.error.message).toContain('EVENT_ALLOWED_HOSTS');
    for (const apiUrl of ['https://api.stripe.com', 'http://127.0.0.1:4242/v1']) {
      const answer = await stage.app.call('POST', '/api/webhook-endpoints', { body: { ...refused, apiUrl } });
      expect([answer.status, answer.body.apiUrl]).toEqual([201, apiUrl]);
    }
    const [, { id }] = (await stage.app.call('GET', '/api/webhook-endpoints')).body.data;
    const path = `/api/webhook-endpoints/${id}`;
    // one that is no longer named does not stop other changes
    const hosts = stage.app.service.events.allowedHosts as Set<string>;
    hosts.delete('127.0.0.1');
    const kept = await stage.app.call('GET', '/api/webhook-endpoints');
    const local = kept.body.data.find(({ apiUrl }: { apiUrl: string | null }) => apiUrl?.startsWith('http://127'));
    const rotated = { secrets: ['whsec_new'] };
    expect((await stage.app.call('PATCH', `/api/webhook-endpoints/${local.id}`, { body: rotated })).status).toBe(200);
    hosts.add('127.0.0.1');
    const change = { apiUrl: 'http://api.stripe.com' };
    expect((await stage.app.call('PATCH', path, { body: change })).status).toBe(400);
  });

  it('at another address with the token that was stored for the one before', async () => {
    const apiUrl = 'http://127.0.0.1:4242';
    const { id } = await createEndpoint(stage.app, 'stripe', { accessToken: 'rk_live_stored' });
    const change = (body: object) => stage.app.call('PATCH', `/api/webhook-endpoints/${id}`, { body });
    const { status, body, text } = await change({ apiUrl });
    expect([status, body.error.details]).toEqual([
      400,
      [{ path: 'accessToken', message: expect.stringMatching(/^must be given again/) }],
    ]);
    expect(text).not.toContain('rk_live_stored');
    expect((await change({ apiUrl: null, acceptTestEvents: true })).body).toMatchObject({ apiUrl: null });
    const moved = await change({ apiUrl, accessToken: 'rk_live_other' });
    expect(moved.body).toMatchObject({ apiUrl, hasAccessToken: true });
    expect((await change({ apiUrl, acceptTestEvents: false })).status).toBe(200);
    // also back to the processor
    expect((await change({ apiUrl: null })).status).toBe(400);
    expect((await change({ apiUrl: null, accessToken: null })).body).toMatchObject({ hasAccessToken: false });
    expect((await change({ apiUrl })).status).toBe(200);
  });

  it.each([
    [{}, 'since'],
    [{ since: 'yesterday' }, 'since'],
    [{ since: '2999-01-01' }, 'since'],
    [{ since: '2026-11-01', dryRun: 'yes' }, 'dryRun'],
  ])('for a body such as %j', async (body, path) => {
    const answer = await begin(stage.endpoint.id, body);
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path]);
  });

  it('when its access token was encrypted with another SECRET_KEY, also in the middle of one', async () => {
    const { app } = stage;
    const { id } = await createEndpoint(app, 'stripe', { accessToken: 'rk_live_sealed' });
    const other = createService({ ...app.service, sealer: createSealer(Buffer.alloc(32, 9)) });
    const caller = { accountId: app.accountId, actor: { kind: 'command_line', name: 'test' } } as const;
    const run = (await begin(id)).body;
    await continueReconciliations(other);
    const error = `Another SECRET_KEY encrypted the access token of ${id}: add that key to SECRET_KEY_FALLBACKS`;
    expect(await stage.get(run.id)).toMatchObject({ status: 'failed', error });
    const again = createReconciliation(other, caller, id, { since: Date.now() - 1_000, dryRun: false });
    await expect(again).rejects.toMatchObject({ code: 'INVALID_STATE', message: error });
  });

  it('while another one of the endpoint is under way', async () => {
    const { id } = (await begin(stage.endpoint.id)).body;
    const { status, body } = await begin(stage.endpoint.id);
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
    expect(body.error.message).toContain(`POST /api/reconciliations/${id}/cancel`);
    const both = await Promise.all(
      [1, 2].map(async () => begin((await createEndpoint(stage.app, 'stripe', { accessToken: 'x' })).id)),
    );
    expect(both.map((answer) => answer.status)).toEqual([202, 202]);
  });
});
