import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createTestApp } from '../helpers/app.ts';
import { callWith, cookieOf, invite, signIn } from '../helpers/operators.ts';

const PASSWORD = 'correct horse battery';

it('signing in leaves no secret in the log, whether it succeeds or fails', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  const logged = await createTestApp('sqlite', { trustProxy: 1, log });
  const { code, email } = await invite(logged);
  const first = await signIn(logged, { code });
  const session = callWith(logged, cookieOf(first));
  await session('PATCH', '/api/session', { body: { password: PASSWORD } });
  await signIn(logged, { code });
  await signIn(logged, { email, password: `${PASSWORD}!` });
  await session('DELETE', '/api/session');
  await session('GET', '/api/session');
  await logged.close();
  const text = lines.join('');
  expect(text).toContain('"path":"/api/session"');
  const secrets = [code, PASSWORD, cookieOf(first).split('=')[1] ?? '', 'rb_signin_', 'rb_session_'];
  for (const secret of secrets) expect(text).not.toContain(secret);
});
