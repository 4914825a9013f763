/** A filled and migrated database for one run, with what a client needs to use it. */
import { spawn } from 'node:child_process';
import { constants, copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listAccounts } from '../../../src/accounts/accounts.ts';
import { createApiKey } from '../../../src/accounts/api-keys.ts';
import type { Service } from '../../../src/app/service.ts';
import { changeEndpoint } from '../../../src/deliveries/endpoints.ts';
import { openService } from '../../../src/open-service.ts';
import { readConfig } from '../../../src/process/config.ts';
import { createLog } from '../../../src/process/log.ts';
import { issueEmbedToken } from '../../../src/programs/embed-tokens.ts';
import { embedTokenInput } from '../../../src/programs/schemas.ts';
import { parseInput } from '../../../src/schema/parse.ts';
import type { Engine } from '../../helpers/databases.ts';
import { asId } from '../../helpers/ids.ts';
import { databaseUrl, executeOnServer } from '../../helpers/postgres-server.ts';
import { fill } from './fill/fill.ts';
import { ACCOUNT_ID, ENDPOINT_ID, LINK_DOMAIN, Names } from './fill/names.ts';
import { createPostgresTarget } from './fill/postgres-target.ts';
import { OWNERS } from './fill/rows.ts';
import { historyEndOf, Shape } from './fill/shape.ts';
import { createSqliteTarget } from './fill/sqlite-target.ts';

/** The partners that represent a large and a small one. */
export const LARGEST_PARTNER = 0;
export const SMALL_PARTNER = 500;
const KEY_LIMIT_PER_MINUTE = 1_000_000;
const TOKEN_SECONDS = 86_400;
const SECRET_KEY = '5b'.repeat(32);
const WEBHOOK_SECRET = 'whsec_of_the_growth_benchmark';

export interface Migration {
  seconds: number;
  bytesBefore: number;
  bytesAfter: number;
  /** The largest size of the database and its write-ahead log during the migration. */
  bytesPeak: number;
}

export interface Dataset {
  engine: Engine;
  customers: number;
  shape: Shape;
  names: Names;
  environment: NodeJS.ProcessEnv;
  /** The SQLite file; null on PostgreSQL. */
  path: string | null;
  migration: Migration;
  apiKey: string;
  embedTokens: { largest: string; small: string };
  webhook: { path: string; secret: string };
  remove(): Promise<void>;
}

export interface DatasetOptions {
  customers: number;
  /** The folder for databases; files named `growth-<size>.db` in it are kept and reused. */
  folder: string;
  /** True to measure on the kept file itself, which is deleted afterwards, when there is no space for a copy. */
  inPlace: boolean;
  say(line: string): void;
}

/** `10k`, `1m` */
export function sizeName(customers: number): string {
  return customers % 1_000_000 === 0 ? `${customers / 1_000_000}m` : `${customers / 1_000}k`;
}

/** The kept file of this size; if missing, it is filled first. Its schema is that of the fill. */
export async function fillSqliteFile({ customers, folder, say }: DatasetOptions): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const kept = join(folder, `growth-${sizeName(customers)}.db`);
  if (existsSync(kept)) return kept;
  const unfinished = `${kept}.part`;
  rmSync(unfinished, { force: true });
  await fill(createSqliteTarget(unfinished), { customers, until: Date.now() }, say);
  renameSync(unfinished, kept);
  return kept;
}

export async function openSqliteDataset(options: DatasetOptions): Promise<Dataset> {
  const kept = await fillSqliteFile(options);
  const folder = join(options.folder, `measured-${sizeName(options.customers)}-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'refbridge.db');
  if (options.inPlace) renameSync(kept, path);
  else copyFileSync(kept, path, constants.COPYFILE_FICLONE);
  const removeNow = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeNow);
  const remove = async () => {
    process.off('exit', removeNow);
    removeNow();
  };
  const bytesOf = async () => sizeOf(path) + sizeOf(`${path}-wal`);
  return prepared('sqlite', options, { url: `file:${path}`, path, bytesOf, remove });
}

export async function openPostgresDataset(options: DatasetOptions, serverUrl: string): Promise<Dataset> {
  const name = `growth_${sizeName(options.customers)}`;
  const url = databaseUrl(serverUrl, name);
  await executeOnServer(serverUrl, `DROP DATABASE IF EXISTS ${name}`);
  await executeOnServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
  await fill(createPostgresTarget(url), { customers: options.customers, until: Date.now() }, options.say);
  const remove = async () => void (await executeOnServer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`));
  const bytesOf = async () => {
    const [row] = await executeOnServer(serverUrl, `SELECT pg_database_size('${name}') AS size`);
    return Number((row as { size: string }).size);
  };
  return prepared('postgres', options, { url, path: null, bytesOf, remove });
}

interface Place {
  url: string;
  path: string | null;
  bytesOf(): Promise<number>;
  remove(): Promise<void>;
}

async function prepared(engine: Engine, { customers, say }: DatasetOptions, place: Place): Promise<Dataset> {
  const { url, path, remove } = place;
  try {
    say(`${engine} ${sizeName(customers)}: migrating`);
    const migration = await migrate(place);
    const environment = {
      DATABASE_URL: url,
      SECRET_KEY,
      BASE_URL: `http://${LINK_DOMAIN}`,
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      CLICKS_PER_MINUTE: '0',
    };
    const service = await openService(readConfig(environment), createLog('warn', 'json'));
    try {
      const [account] = await listAccounts(service);
      const shape = new Shape(customers, historyEndOf(Date.parse(account?.createdAt ?? '')));
      const names = new Names(shape, OWNERS.partners, OWNERS.links);
      const credentials = await createCredentials(service, names);
      return { engine, customers, shape, names, environment, path, migration, ...credentials, remove };
    } finally {
      await service.database.close();
    }
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Runs in its own process, because a SQLite migration blocks the process that runs it. */
async function migrate({ url, bytesOf }: Place): Promise<Migration> {
  const bytesBefore = await bytesOf();
  let bytesPeak = bytesBefore;
  const child = spawn(process.execPath, [join(import.meta.dirname, 'children/migrate.ts'), url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (text) => {
    printed += text;
  });
  const watching = setInterval(async () => {
    bytesPeak = Math.max(bytesPeak, await bytesOf());
  }, 500);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(watching);
  if (code !== 0) throw new Error(`The migrations ended with ${code}`);
  const bytesAfter = await bytesOf();
  return { seconds: Number(printed) / 1000, bytesBefore, bytesAfter, bytesPeak: Math.max(bytesPeak, bytesAfter) };
}

/** An API key without a practical limit, the endpoint's secret, and two portal tokens. */
async function createCredentials(service: Service, names: Names) {
  const accountId = asId<'acc'>(ACCOUNT_ID);
  const tokenOf = async (partner: number) => {
    const input = parseInput(embedTokenInput, { enrollmentId: names.partnerAt(partner), expiresIn: TOKEN_SECONDS });
    return (await issueEmbedToken(service, { accountId, actor: { kind: 'command_line' } }, input)).publicToken;
  };
  const { key } = await createApiKey(
    service,
    { accountId },
    {
      name: 'Benchmark',
      rateLimitPerMinute: KEY_LIMIT_PER_MINUTE,
      scope: 'full',
    },
  );
  await changeEndpoint(service, accountId, ENDPOINT_ID, { secrets: [WEBHOOK_SECRET] });
  return {
    apiKey: key,
    embedTokens: { largest: await tokenOf(LARGEST_PARTNER), small: await tokenOf(SMALL_PARTNER) },
    webhook: { path: `/webhooks/stripe/${ENDPOINT_ID}`, secret: WEBHOOK_SECRET },
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
