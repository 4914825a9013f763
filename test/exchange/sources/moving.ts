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
  dieAt?: DeathAt;
}

/** The unit of work that stores the record of this kind with this number. */
interface DeathAt {
  kind: 'partner' | 'commission';
  count: number;
}

/** A service that loses a unit of work after it has run. */
function dyingAt(service: Service, { kind, count }: DeathAt): Service {
  const write: Service['database']['write'] = (unit, options) =>
    service.database.write(async (tx) => {
      const result = await unit(tx);
      const sql = 'SELECT COUNT(*) AS stored FROM imported_records WHERE kind = @kind';
      const found = await tx.get<{ stored: number }>(sql, { kind });
      if (found?.stored === count) throw new Error('killed');
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
    /** @param dieAt the process ends in this unit of work, before its commit */
    async run({ isDryRun = false, headers, dieAt }: RunOptions = {}) {
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
        service: dieAt === undefined ? service : dyingAt(service, dieAt),
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
