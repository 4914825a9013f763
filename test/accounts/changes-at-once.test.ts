import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPassword } from '../../src/accounts/passwords.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createOperator, freshAddress, type SignedIn, signIn } from '../helpers/operators.ts';

/** Sign-ins that a password has to wait for; half a second in all. */
const OTHERS = 8;

describe.each(engines)('what operators change of themselves, on %s', (engine) => {
  let app: TestApp;
  let owner: SignedIn;
  beforeAll(async () => {
    app = await createTestApp(engine, { trustProxy: 1 });
    owner = await createOperator(app);
  });
  afterAll(() => app.close());

  const change = (who: SignedIn, body: object) => who.call('PATCH', '/api/session', { body, headers: freshAddress() });
  const nameAndAddressOf = async (id: string) => {
    const { body } = await owner.call('GET', '/api/operators?limit=100');
    const { name, email } = body.data.find((operator: { id: string }) => operator.id === id);
    return { name, email };
  };
  /** Sets a password, and returns when the request is accepted and waits until others are checked. */
  async function startToSetPassword(who: SignedIn, body: object) {
    const others = Array.from({ length: OTHERS }, () => isPassword('another one', null));
    const changing = change(who, body);
    expect((await who.call('GET', '/api/session')).status).toBe(200);
    return { changing, others: Promise.all(others) };
  }

  it('stays as it is when their session has ended meanwhile', async () => {
    const second = await createOperator(app, 'member');
    const [session] = (await second.call('GET', '/api/sessions')).body.data;
    const body = { email: 'thief@example.com', password: 'the password of a thief' };
    const { changing, others } = await startToSetPassword(second, body);
    expect((await owner.call('DELETE', `/api/sessions/${session.id}`)).status).toBe(204);
    const answer = await changing;
    await others;
    expect([answer.status, answer.body.error?.code]).toEqual([401, 'UNAUTHORIZED']);
    expect((await signIn(app, body)).status).toBe(401);
    expect((await nameAndAddressOf(second.id)).email).toBe(second.email);
  });

  it('does not bring back what was changed meanwhile', async () => {
    const second = await createOperator(app, 'member');
    const { changing, others } = await startToSetPassword(second, { password: 'a long enough password' });
    const meanwhile = { name: 'Olga Nova', email: 'olga.nova@example.com' };
    expect((await change(second, meanwhile)).status).toBe(200);
    const answer = await changing;
    await others;
    expect([answer.status, answer.body.error?.code]).toEqual([409, 'CONFLICT']);
    expect(await nameAndAddressOf(second.id)).toEqual(meanwhile);
  });
});
