import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLoginLink } from '../../src/accounts/login-link.ts';
import { type Answer, createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { expectError } from '../helpers/expect-error.ts';
import { createOperator, type SignedIn, signIn } from '../helpers/operators.ts';
import { unique } from '../helpers/story.ts';

const ROUNDS = 5;
const AT_ONCE = 8;

describe.each(engines)('operators, on %s', (engine) => {
  let app: TestApp;
  let owner: SignedIn;
  beforeAll(async () => {
    app = await createTestApp(engine, { trustProxy: 1 });
    owner = await createOperator(app);
  });
  afterAll(() => app.close());

  const invite = (body: object) => owner.call('POST', '/api/operators', { body });

  it('are invited by an address, which signs them in once', async () => {
    const email = `${unique('New')}@Example.com`;
    const answer = await invite({ name: 'Nora', email });
    expect(answer.status).toBe(201);
    expect(answer.body.operator).toMatchObject({
      name: 'Nora',
      email: email.toLowerCase(),
      role: 'member',
      hasPassword: false,
      lastSeenAt: null,
    });
    expect(answer.body.signInUrl).toMatch(/^https:\/\/refer\.example\.com\/dashboard\/sign-in#code=rb_signin_\w{36}$/);
    const [, code] = answer.body.signInUrl.split('=');
    const signedIn = await signIn(app, { code });
    expect(signedIn.body.operator.id).toBe(answer.body.operator.id);
    const again = await owner.call('POST', `/api/operators/${answer.body.operator.id}/sign-in-url`);
    expect(again.status).toBe(201);
    expect((await signIn(app, { code: again.body.signInUrl.split('=')[1] })).status).toBe(200);
    const listed = (await owner.call('GET', '/api/operators')).body.data;
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([answer.body.operator.id, owner.id]);
  });

  it('have their own address in the account, and may share it with another account', async () => {
    const email = `${unique('taken')}@example.com`;
    expect((await invite({ name: 'One', email })).status).toBe(201);
    expectError(await invite({ name: 'Two', email: email.toUpperCase() }), 409, 'CONFLICT');
    expectError(await owner.call('PATCH', '/api/session', { body: { email } }), 409, 'CONFLICT');
    const { accountId } = await app.addAccount('Second Ltd');
    const elsewhere = await createOperator(app, 'owner', accountId);
    expect((await elsewhere.call('POST', '/api/operators', { body: { name: 'Two', email } })).status).toBe(201);
  });

  it.each([
    { name: 'No address' },
    { name: 'x', email: 'none' },
    { name: 'x', email: 'x@example.com', role: 'admin' },
    { email: 'x@example.com' },
    { name: 'x', email: 'x@example.com', password: 'set by others' },
  ])('are not invited with %j', async (body) => {
    expectError(await invite(body), 400, 'VALIDATION_ERROR');
  });

  it('always have an owner: the last one can neither be removed nor demoted, not even by two at once', async () => {
    const { accountId } = await app.addAccount(unique('Owners'));
    const first = await createOperator(app, 'owner', accountId);
    const path = (operator: SignedIn) => `/api/operators/${operator.id}`;
    const removed = await first.call('DELETE', path(first));
    expectError(removed, 409, 'CONFLICT');
    expect(removed.body.error.message).toContain('last owner');
    expectError(await first.call('PATCH', path(first), { body: { role: 'viewer' } }), 409, 'CONFLICT');
    expect((await first.call('PATCH', path(first), { body: { name: 'Still owner' } })).status).toBe(200);
    const second = await createOperator(app, 'owner', accountId);
    const answers = await Promise.all([
      first.call('PATCH', path(second), { body: { role: 'viewer' } }),
      second.call('PATCH', path(first), { body: { role: 'viewer' } }),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const roles = await app.service.database.read((tx) =>
      tx.all<{ role: string }>('SELECT role FROM operators WHERE account_id = @accountId', { accountId }),
    );
    expect(roles.filter(({ role }) => role === 'owner')).toHaveLength(1);
  });

  it('keep no working session or address once they are removed', async () => {
    const gone = await createOperator(app, 'member');
    const { body } = await owner.call('POST', `/api/operators/${gone.id}/sign-in-url`);
    expect((await owner.call('DELETE', `/api/operators/${gone.id}`)).status).toBe(204);
    expect((await gone.call('GET', '/api/session')).status).toBe(401);
    expect((await signIn(app, { code: body.signInUrl.split('=')[1] })).status).toBe(401);
    expectError(await owner.call('DELETE', `/api/operators/${gone.id}`), 404, 'NOT_FOUND');
  });

  it.each<[string, (path: string) => Promise<Answer>]>([
    ['removed', (path) => owner.call('DELETE', path)],
    ['no longer an owner', (path) => owner.call('PATCH', path, { body: { role: 'member' } })],
  ])('leave no unused address that signs in as somebody else when they are %s', async (_, lock) => {
    const gone = await createOperator(app);
    const other = await createOperator(app);
    const opens = async (url: string) => (await signIn(app, { code: url.split('=')[1] })).status === 200;
    const addressOf = async (path: string, body?: object) =>
      (await gone.call('POST', path, body && { body })).body.signInUrl as string;
    const ofOther = `/api/operators/${other.id}/sign-in-url`;
    const used = await addressOf(ofOther);
    await owner.call('PATCH', `/api/operators/${gone.id}`, { body: { name: 'Olga Nova' } });
    expect(await opens(used)).toBe(true);

    const asOther = await addressOf(ofOther);
    const asNew = await addressOf('/api/operators', {
      name: 'Back Door',
      email: `${unique('door')}@example.com`,
      role: 'owner',
    });
    const named = { operator: other.email, firstOwner: { name: 'Owner', email: null } };
    const byCommand = await createLoginLink(app.service, app.accountId, named);
    expect((await lock(`/api/operators/${gone.id}`)).status).toBeLessThan(300);
    expect([await opens(asOther), await opens(asNew), await opens(byCommand.url)]).toEqual([false, false, true]);
    expect((await other.call('GET', '/api/session')).status).toBe(200);
  });

  it('get no address for somebody else while they are being removed', async () => {
    const other = await createOperator(app);
    for (let round = 0; round < ROUNDS; round += 1) {
      const gone = await createOperator(app);
      const [removed, ...answers] = await Promise.all([
        owner.call('DELETE', `/api/operators/${gone.id}`),
        ...Array.from({ length: AT_ONCE }, () => gone.call('POST', `/api/operators/${other.id}/sign-in-url`)),
      ]);
      expect(removed.status).toBe(204);
      for (const { body } of answers.filter(({ status }) => status === 201)) {
        expect((await signIn(app, { code: body.signInUrl.split('=')[1] })).status).toBe(401);
      }
    }
  });

  it('may make 600 requests a minute in each session', async () => {
    const busy = await createOperator(app, 'viewer');
    const statuses: number[] = [];
    for (let round = 0; round < 13; round += 1) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => busy.call('GET', '/api/session')));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(600);
    const refused = await busy.call('GET', '/api/session');
    expectError(refused, 429, 'RATE_LIMIT_EXCEEDED');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await owner.call('GET', '/api/session')).status).toBe(200);
  });
});
