import type { Command } from 'commander';
import type { AccountApi } from '../api/account-api.ts';
import { pagesOf } from '../api/names.ts';
import type { Connection } from '../connection/choose.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { printResource } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';

/** `whoami`. */
export function addWhoamiCommand(program: Command): void {
  const whoami = apiCommand(program, 'whoami')
    .description('show which server or database, account and API key the commands use')
    .addHelpText('after', '\nPrecedence: option, environment, profile, local database.');
  whoami.action(async ({ json }: AccountOptions) => {
    printResource(await withApi(whoami, describe), json);
  });
}

async function describe(api: AccountApi, connection: Connection): Promise<Record<string, unknown>> {
  const { account } = await api.call('getOverview');
  const known = { accountId: account.id, accountName: account.name, version: await api.version() };
  if (connection.kind === 'local') {
    const { readConfig } = await import('../../process/config.ts');
    const { database } = readConfig(process.env);
    const name = database.engine === 'sqlite' ? database.path : 'PostgreSQL';
    return { uses: 'database', where: name, from: connection.from, ...known };
  }
  const { url, from, keyFrom, apiKey } = connection;
  return { uses: 'server', where: url, from, ...known, keyFrom, ...(await keyOf(api, apiKey)) };
}

/** What the account knows of the key, without showing it. */
async function keyOf(api: AccountApi, apiKey: string): Promise<Record<string, unknown>> {
  for await (const { data } of pagesOf(api, 'listApiKeys', { limit: '100' })) {
    const key = data.find(({ prefix, lastFour }) => apiKey.startsWith(prefix) && apiKey.endsWith(lastFour));
    if (key !== undefined) return { key: `${key.prefix}…${key.lastFour}`, keyName: key.name, scope: key.scope };
  }
  return {};
}
