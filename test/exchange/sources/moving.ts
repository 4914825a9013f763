import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Service } from '../../../src/app/service.ts';
import { AUDITS, runAudit } from '../../../src/audit/audits.ts';
import { importFacts } from '../../../src/exchange/moved/run.ts';
import { createSourceClient } from '../../../src/exchange/sources/client.ts';
import type { Source } from '../../../src/exchange/sources/contract.ts';
import type { TestApp } from '../../helpers/app.ts';
import { unique } from '../../helpers/story.ts';
import { type SourceFixture, type SourceServer, startSource } from './server.ts';

interface RunOptions {
  isDryRun?: boolean;
  headers?: Record<string, string>;
  dieAfter?: number;
}

/** A service that loses the unit of work with this number after it has run. */
function dyingAfter(service: Service, count: number): Service {
  let left = count;
  const write: Service['database']['write'] = (unit, options) =>
    service.database.write(async (tx) => {
      const result = await unit(tx);
      left -= 1;
      if (left === 0) throw new Error('killed');
      return result;
    }, options);
  return { ...service, database: { ...service.database, write } };
}

/** An account, and the source that it is imported from. */
export function moving(app: () => TestApp, source: Source, fixture: SourceFixture) {
  let server: SourceServer;
  let folder: string;
  beforeAll(async () => {
    server = await startSource(fixture);
    folder = await mkdtemp(join(tmpdir(), 'refbridge-sources-'));
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    server: () => server,
    /** @param dieAfter the process ends in the unit of work with this number, before its commit */
    async run({ isDryRun = false, headers, dieAfter = 0 }: RunOptions = {}) {
      const { title, limit } = source;
      const values = source.credentials.map(({ name, variable }) => [name, fixture.environment[variable] ?? '']);
      const credentials = Object.fromEntries(values);
      const client = createSourceClient({
        title,
        limit: { ...limit, requests: 10_000 },
        apiUrl: server.url,
        headers: headers ?? source.headersFor(credentials),
        wait: async () => {},
      });
      const reportPath = join(folder, unique('report'));
      const { service, accountId } = app();
      const target = {
        service: dieAfter === 0 ? service : dyingAfter(service, dieAfter),
        accountId,
        source,
        partnersBy: 'source id',
        programId: null,
      } as const;
      const items = source.read(client, { credentials, linkUrl: fixture.linkUrl ?? null });
      const result = await importFacts(target, items, { isDryRun, reportPath });
      return { ...result, report: await readFile(reportPath, 'utf8') };
    },
  };
}

/** What the audits of `doctor` find. */
export async function findings({ service, accountId }: TestApp): Promise<string[]> {
  const found = await Promise.all(AUDITS.map((audit) => runAudit(service, accountId, audit)));
  return found.flatMap(({ first }) => first ?? []);
}

export async function earningsOf(app: TestApp, email: string) {
  const { id } = (await app.call('GET', `/api/partners?email=${email}`)).body.data[0];
  return (await app.call('GET', `/api/partners/${id}/earnings`)).body.data;
}
