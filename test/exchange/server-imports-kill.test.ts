import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/accounts.ts';
import { LEASE_MS } from '../../src/exchange/jobs/run-news.ts';
import { type CallOptions, call as request } from '../helpers/app.ts';
import { createTestDatabase, engines } from '../helpers/databases.ts';
import { residentMebibytes } from '../helpers/resident-memory.ts';
import { rounds } from '../helpers/rounds.ts';
import { createTestService } from '../helpers/service.ts';
import { slowestAnswer, startServing } from '../helpers/serving-process.ts';
import { sendFile, waitForImport } from './server-import.ts';

/** Enough rows to take seconds, so that some are left when the first are stored. */
const ROWS = { sqlite: 6_000, postgres: 1_500 };
/** Enough to fill all caches. */
const FEW_ROWS = 20_000;
const MANY_ROWS = Math.max(rounds(100_000), 2 * FEW_ROWS);
/** Minutes on a machine that is busy with other things, too; what hangs shows earlier. */
const MANY_ROWS_TIMEOUT_MS = 900_000;
const HEAD = 'externalId,partner\n';
const customers = (rows: number, partnerId: string) =>
  HEAD + Array.from({ length: rows }, (_, n) => `user-${n},${partnerId}\n`).join('');

/** A database with an account, and a caller for the process that answers at the moment. */
async function createScene(engine: (typeof engines)[number]) {
  const { url, database, remove } = await createTestDatabase(engine);
  const { apiKey } = await createAccount(createTestService({ database }), { name: 'Example Ltd' });
  const at =
    (server: string) =>
    (method: string, path: string, options: CallOptions = {}) =>
      request(server + path, method, { key: apiKey, ...options });
  const newPartner = async (server: string) =>
    (await at(server)('POST', '/api/partners', { body: { name: 'Ana', email: 'ana@example.com' } })).body.id as string;
  const countOf = async (table: string) =>
    (await database.read((tx) => tx.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`)))?.n;
  const someAreStored = async () => {
    while ((await countOf('customers')) === 0) await sleep(5);
  };
  return { url, at, newPartner, countOf, someAreStored, remove };
}

describe.each(engines)('an import whose process is killed, on %s', (engine) => {
  const rows = ROWS[engine];
  it('is begun again by the next process, which stores the rest and nothing twice', async () => {
    const { url, at, newPartner, countOf, someAreStored, remove } = await createScene(engine);
    const first = await startServing(url);
    try {
      const text = customers(rows, await newPartner(first.url));
      const id = await sendFile(at(first.url), { kind: 'customers', text });
      await someAreStored();
      await first.kill();
      const stored = (await countOf('customers')) ?? 0;
      expect(stored).toBeGreaterThan(0);
      expect(stored).toBeLessThan(rows);
      // on PostgreSQL, the first process's lease has expired
      const next = await startServing(url, LEASE_MS + 1_000);
      try {
        const ended = await waitForImport(at(next.url), id);
        expect(ended).toMatchObject({ status: 'completed', attempts: 2, progress: { rows } });
        expect(ended.counts).toMatchObject({ created: rows - stored, unchanged: stored, refused: 0 });
        expect(await countOf('customers')).toBe(rows);
        // deleted after the end was stored
        await expect.poll(() => countOf('import_parts')).toBe(0);
      } finally {
        await next.kill();
      }
    } finally {
      await remove();
    }
  });

  it('is released at once when the process is stopped', async () => {
    const { url, at, newPartner, countOf, someAreStored, remove } = await createScene(engine);
    const first = await startServing(url);
    try {
      const text = customers(rows, await newPartner(first.url));
      const id = await sendFile(at(first.url), { kind: 'customers', text });
      await someAreStored();
      first.child.process.kill('SIGINT');
      expect((await first.child.ended).code).toBe(0);
      const next = await startServing(url);
      const ended = await waitForImport(at(next.url), id);
      // a released attempt does not count
      expect(ended).toMatchObject({ status: 'completed', attempts: 1, progress: { rows } });
      expect(await countOf('customers')).toBe(rows);
      await next.kill();
    } finally {
      await remove();
    }
  });
});

describe(`a file of ${MANY_ROWS} rows`, { timeout: MANY_ROWS_TIMEOUT_MS }, () => {
  it('is read in the memory that a small one takes, while the server answers others', async () => {
    const { url, at, newPartner, countOf, remove } = await createScene('sqlite');
    const server = await startServing(url);
    const resident = () => residentMebibytes(server.child.process.pid ?? 0);
    try {
      const partnerId = await newPartner(server.url);
      let most = 0;
      const dryRun = async (rows: number) => {
        const text = customers(rows, partnerId);
        const id = await sendFile(at(server.url), { kind: 'customers', text, dryRun: true });
        return waitForImport(at(server.url), id, ({ endedAt }) => {
          most = Math.max(most, resident());
          return endedAt !== null;
        });
      };
      // caches are full then
      await dryRun(FEW_ROWS);
      const before = most;
      const ending = new AbortController();
      const [ended, slowestMs] = await Promise.all([
        dryRun(MANY_ROWS).finally(() => ending.abort()),
        slowestAnswer(server, ending.signal),
      ]);
      expect(ended).toMatchObject({ status: 'completed', counts: { created: MANY_ROWS, refused: 0 } });
      expect(await countOf('customers')).toBe(0);
      expect(most - before).toBeLessThan(100);
      expect(slowestMs).toBeLessThan(500);
    } finally {
      await server.kill();
      await remove();
    }
  });
});
