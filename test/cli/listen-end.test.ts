import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { createWorkplace } from './run-cli.ts';

const workplace = createWorkplace();
let app: TestApp;
beforeAll(async () => {
  app = await createTestApp('sqlite');
});
afterAll(async () => {
  await app.close();
  await workplace.remove();
});

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'refbridge listen leaves no listener behind after %s',
  async (signal) => {
    const sql = "SELECT COUNT(*) AS count FROM event_endpoints WHERE kind = 'listener'";
    const count = async () =>
      Number((await app.service.database.read((tx) => tx.get<{ count: number }>(sql, {})))?.count);
    const listening = workplace.start('listen', '--url', app.url, '--api-key', app.apiKey);
    await listening.saw(/Listening/);
    expect(await count()).toBe(1);
    expect(await listening.stop(signal)).toBe(0);
    expect(await count()).toBe(0);
  },
);
