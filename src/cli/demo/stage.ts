import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLoginLink } from '../../accounts/login-link.ts';
import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import { type Config, readConfig } from '../../process/config.ts';
import { createLog } from '../../process/log.ts';
import { createMissingKey } from '../../process/prepare-sealer.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { type FurnishedStage, furnishStage } from './furnish.ts';
import { returnToPresent, serviceAt } from './history/past.ts';
import { historyStart, writeHistory } from './history/write-history.ts';
import { openShop, type Shop } from './shop.ts';

/** A running server on a fresh database, with partners, links and an endpoint of every processor. */
export interface Stage extends Pick<FurnishedStage, 'apiKey' | 'partnerIds' | 'targets'> {
  url: string;
  /** A moment after everything in the history (epoch milliseconds). */
  openedAt: number;
  /** Opens the shop, which shows Ana's portal in a frame; returns its address. */
  openShop(): Promise<string>;
  /** Creates a one-time address that signs the owner in to the dashboard. */
  signInUrl(): Promise<string>;
  /** Stops the server and deletes the database. */
  close(): Promise<void>;
}

export interface StageOptions {
  port?: number | undefined;
  /** Whether the account has a year of business behind it. */
  history: boolean;
}

export async function setStage({ port, history }: StageOptions): Promise<Stage> {
  const listenPort = await freePort(port ?? 0);
  const folder = mkdtempSync(join(tmpdir(), 'refbridge-demo-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // also when Ctrl-C ends the process before there is a stage to close
  process.once('exit', remove);
  const url = `http://127.0.0.1:${listenPort}`;
  // Ignores the environment, so that the demo is the same everywhere.
  const config = readConfig({
    PORT: String(listenPort),
    HOST: '127.0.0.1',
    BASE_URL: url,
    DATABASE_URL: `file:${join(folder, 'refbridge.db')}`,
    LOG_LEVEL: 'error',
    LOG_FORMAT: 'pretty',
  });
  try {
    const { startServer } = await import('../../main.ts');
    const { accountId, programId, apiKey, partnerIds, targets } = await prepareDatabase(config, history);
    const openedAt = Date.now();
    const { service, ...running } = await startServer(config);
    let shop: Shop | undefined;
    return {
      ...{ url, apiKey, partnerIds, targets, openedAt },
      async openShop() {
        shop = await openShop(service, { url, accountId, programId, apiKey, partnerIds });
        return shop.url;
      },
      signInUrl: () => signInUrlOf(service, accountId),
      async close() {
        await shop?.close();
        await running.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** A one-time address that signs the account's owner in. */
async function signInUrlOf(service: Service, accountId: AccountId): Promise<string> {
  const firstOwner = { name: 'Olga Owner', email: 'olga@example.com' };
  return (await createLoginLink(service, accountId, { operator: null, firstOwner })).url;
}

/** Runs before the server starts, because the server's clock knows only the present. */
async function prepareDatabase(config: Config, history: boolean): Promise<FurnishedStage> {
  const { openService } = await import('../../open-service.ts');
  const service = await openService(config, createLog('silent', 'pretty'));
  try {
    createMissingKey(config);
    return history ? await furnishWithHistory(service, Date.now()) : await furnishStage(service);
  } finally {
    await service.database.close();
  }
}

/** As `furnishStage`, with a year of business until `now`. Call it only on SQLite, while nothing else uses the service. */
export async function furnishWithHistory(service: Service, now: number): Promise<FurnishedStage> {
  try {
    const furnished = await furnishStage(serviceAt(service, historyStart(now)));
    await writeHistory(service, furnished, now);
    return furnished;
  } finally {
    returnToPresent();
  }
}

/** The wanted port, or any free one for 0. Found out before the history is written, which takes longest. */
function freePort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const text = `Port ${wanted} cannot be used (${error.code}): choose another --port, or leave it out for a free one.`;
      reject(new CommandError(EXIT.configuration, text, error));
    });
    probe.listen(wanted, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('There is no free port'));
        else resolve(address.port);
      });
    });
  });
}
