import { pino } from 'pino';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/storage/open.ts';
import { createTestApp } from '../../helpers/app.ts';
import { createTestDatabase } from '../../helpers/databases.ts';
import { executeOnServer } from '../../helpers/postgres-server.ts';
import { createEndpoint, createReferrer, unique } from '../../helpers/story.ts';
import { checkoutCompleted } from '../../helpers/stripe-payloads.ts';

it('a table of another user, who has migrated the database, makes requests UNAVAILABLE, and the log names it', async () => {
  const theirs = await createTestDatabase('postgres');
  const role = unique('limited');
  await executeOnServer(
    theirs.url,
    `CREATE ROLE ${role} LOGIN PASSWORD 'limited'; GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role};
     GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}; REVOKE ALL ON sales FROM ${role}`,
  );
  const database = await openDatabase(Object.assign(new URL(theirs.url), { username: role, password: 'limited' }).href);
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const app = await createTestApp('postgres', { log, service: { database } });
  await (await createReferrer(app)).lead('payer');
  const { deliver } = await createEndpoint(app, 'stripe');

  const payment = checkoutCompleted({ externalId: 'payer' });
  const [refused, listed] = [await deliver(payment), await app.call('GET', '/api/sales')];
  for (const { status, body, headers } of [refused, listed]) {
    expect([status, body.error?.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '300']);
    expect(body.error.message).toContain('the owner of the schema and of every table');
  }
  expect(logged).toContainEqual(expect.objectContaining({ cause: 'permission denied for table sales' }));
  expect(logged.filter(({ msg }) => msg === 'request failed')).toEqual([]);

  await executeOnServer(theirs.url, `GRANT ALL ON sales TO ${role}`);
  expect((await deliver(payment)).body).toMatchObject({ outcome: 'sale' });
  await app.close();
  await database.close();
  await executeOnServer(theirs.url, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await theirs.remove();
});
