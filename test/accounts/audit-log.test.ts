import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/app/route.ts';
import { createRoutes } from '../../src/http/routes.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createOperator, type SignedIn } from '../helpers/operators.ts';
import { createEndpoint } from '../helpers/story.ts';
import { type StripeConnect, startStripeConnect } from '../helpers/stripe-connect.ts';
import { type Change, changesOf, newPartnerBody } from './audited-changes.ts';

const routes: readonly Route[] = createRoutes();
/** Such routes report what happened, or their caller has no name for the audit log. */
const NOT_AUDITED = ['api-key-only', 'public', 'signature', 'embed-token'];

describe.each(engines)('the audit log, on %s', (engine) => {
  let app: TestApp;
  let owner: SignedIn;
  let stripe: StripeConnect;
  /** By `operationId`. */
  let changes: Record<string, Change>;
  beforeAll(async () => {
    app = await createTestApp(engine, { trustProxy: 1 });
    owner = await createOperator(app);
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { holdDays: 0, selfReferral: 'flag' } });
    stripe = await startStripeConnect();
    changes = changesOf(app, owner, stripe);
  });
  afterAll(async () => {
    await app.close();
    await stripe.close();
  });

  const logOf = async (query = '') => (await owner.call('GET', `/api/audit-log?limit=100${query}`)).body.data;
  const audited = routes.filter(({ action }) => action !== undefined);

  it('has an action for every route that changes something for a key or a session', () => {
    const silent = routes.filter(
      ({ method, action, credential }) => method !== 'GET' && action === undefined && !NOT_AUDITED.includes(credential),
    );
    // the file belongs to a recorded import; explainDelivery has a body but writes nothing; fetchEvents confirms what a
    // listener has read
    const known = ['uploadImportFile', 'explainDelivery', 'fetchEvents'];
    expect(silent.map(({ operationId }) => operationId)).toEqual(known);
    expect(audited.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(changes).sort());
  });

  const expectRecorded = async ({ operationId, action, credential }: Route) => {
    const change = changes[operationId];
    if (change === undefined) throw new Error(`Make a change by ${operationId} here`);
    const callers = [
      { call: owner.call, actor: { type: 'operator', id: owner.id, name: 'Olga owner' } },
      { call: app.call, actor: { type: 'api_key', name: 'First key' } },
    ];
    for (const { call, actor } of credential === 'session' ? callers.slice(0, 1) : callers) {
      const result = await change(call);
      const resourceId = typeof result === 'string' ? result : result.body.id;
      const [entry] = await logOf(`&resourceId=${resourceId}&action=${action}`);
      expect(entry).toMatchObject({ action, resourceId });
      if (operationId !== 'signOut') expect(entry.actor).toMatchObject(actor);
    }
  };
  const isFirst = ({ operationId }: Route) => operationId !== 'createProgram';
  it.each(audited.filter(isFirst).map((route) => [route.operationId, route.action, route] as const))(
    'records %s as %s',
    (_operationId, _action, route) => expectRecorded(route),
  );

  it('shows what changed, before and after, and nothing else', async () => {
    const id = (await app.call('POST', '/api/partners', { body: newPartnerBody() })).body.id;
    await owner.call('PATCH', `/api/partners/${id}`, {
      body: { name: 'Paul', discountCodes: ['PAUL'], tenantId: null },
    });
    const [update, create] = await logOf(`&resourceId=${id}`);
    expect(update.changes).toEqual({
      name: { before: 'Paula', after: 'Paul' },
      discountCodes: { before: [], after: ['PAUL'] },
    });
    expect(create.changes.name).toEqual({ before: null, after: 'Paula' });
  });

  it('contains no secret, and only records that a secret changed', async () => {
    const { id } = await createEndpoint(app, 'stripe');
    await owner.call('PATCH', `/api/webhook-endpoints/${id}`, { body: { secrets: ['whsec_never_to_be_seen'] } });
    const [entry] = await logOf(`&resourceId=${id}`);
    expect(entry.changes).toEqual({ secrets: { before: 'hidden', after: 'hidden' } });
    const key = (await owner.call('POST', '/api/api-keys', { body: { name: 'Secret' } })).body.key as string;
    const stored = JSON.stringify(await app.service.database.read((tx) => tx.all('SELECT * FROM audit_log')));
    for (const secret of ['whsec_never', key, 'rb_signin_', 'rb_session_', 'scrypt$', 'a new password']) {
      expect(stored).not.toContain(secret);
    }
  });

  it('has no entry for requests that were refused or changed nothing', async () => {
    const before = (await logOf()).length;
    await owner.call('PATCH', `/api/programs/${app.programId}`, { body: { holdDays: -1 } });
    await owner.call('POST', '/api/partners', {
      body: { name: 'Nobody', email: 'nobody@example.com', programId: 'prg_0' },
    });
    await owner.call('POST', '/api/payouts/run', { body: { dryRun: true } });
    const { id: enrollmentId } = (await app.call('GET', '/api/partners')).body.data[0];
    expect((await owner.call('POST', '/api/embed/token', { body: { enrollmentId } })).status).toBe(200);
    const key = (await app.call('POST', '/api/api-keys', { body: { name: 'Key' } })).body.id;
    await owner.call('DELETE', `/api/api-keys/${key}`);
    await owner.call('DELETE', `/api/api-keys/${key}`);
    expect((await logOf(`&resourceId=${key}`)).length).toBe(2);
    expect((await logOf()).length - before).toBeLessThanOrEqual(2);
  });

  it('names each download of a payout file, but no request for its headers only', async () => {
    const file = await changes.createPayoutFile?.(owner.call);
    const { id } = typeof file === 'object' ? file.body : {};
    const download = (method: string) => owner.call(method, `/api/payouts/files/${id}`);
    expect((await download('HEAD')).headers.get('content-disposition')).toContain('paypal-usd-');
    expect((await logOf(`&resourceId=${id}`)).map(({ action }: Route) => action)).toEqual(['payout_file.create']);
    expect((await download('GET')).text).toContain('ana@example.com');
    await app.call('POST', `/api/payouts/files/${id}/cancel`);
    expect((await download('GET')).status).toBe(409);
    const actions = (await logOf(`&resourceId=${id}`)).map(({ action }: Route) => action);
    expect(actions).toEqual(['payout_file.cancel', 'payout_file.download', 'payout_file.create']);
  });

  it('stores an entry together with its change, or neither', async () => {
    await app.service.database.write((tx) => tx.run('ALTER TABLE audit_log RENAME TO audit_log_away'));
    const email = newPartnerBody().email;
    const failed = await app.call('POST', '/api/partners', { body: { name: 'Lost', email, programId: app.programId } });
    await app.service.database.write((tx) => tx.run('ALTER TABLE audit_log_away RENAME TO audit_log'));
    expect(failed.status).toBe(500);
    const again = await app.call('POST', '/api/partners', { body: { name: 'Found', email, programId: app.programId } });
    expect(again.status).toBe(201);
  });

  it('is read by period, operator, key, resource and action, page by page', async () => {
    const all = await logOf();
    expect(all.length).toBeGreaterThan(40);
    expect(await logOf(`&from=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    expect(await logOf('&to=2026-01-01')).toEqual([]);
    expect(await logOf(`&from=2026-01-01&to=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual(all);
    const mine = await logOf(`&operatorId=${owner.id}`);
    expect(new Set(mine.map(({ actor }: { actor: { id: string } }) => actor.id))).toEqual(new Set([owner.id]));
    const updates = await logOf('&action=program.update');
    expect(updates.length).toBeGreaterThan(1);
    expect(new Set(updates.map(({ action }: { action: string }) => action))).toEqual(new Set(['program.update']));
    const first = (await owner.call('GET', '/api/audit-log?limit=1')).body;
    const second = (await owner.call('GET', `/api/audit-log?limit=1&cursor=${first.nextCursor}`)).body;
    expect([first.data[0], second.data[0]]).toEqual(all.slice(0, 2));
    expect((await owner.call('GET', '/api/audit-log?from=2026-02-01&to=2026-01-01')).status).toBe(400);
  });

  // last, because the others rely on the account having only one program
  it('records createProgram', async () => {
    const [route] = audited.filter((candidate) => !isFirst(candidate));
    if (route === undefined) throw new Error('createProgram is not audited');
    await expectRecorded(route);
  });
});
