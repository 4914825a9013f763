import type { Command } from 'commander';
import { loadEnvironment } from '../../process/environment.ts';
import { hint } from '../terminal/output.ts';

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('start the server; SIGTERM and Ctrl-C stop it gracefully')
    .addHelpText(
      'after',
      `
Without configuration, it creates data/ with a SQLite database and a key file (back up both) and listens on port 3000.
A SQLite file allows one server, PostgreSQL any number.

Environment (all optional, also read from .env): PORT, HOST, BASE_URL, DATABASE_URL, DATABASE_READ_URL,
DATABASE_READ_LAG_SECONDS, SECRET_KEY, SECRET_KEY_FALLBACKS, RATE_LIMIT_PER_MINUTE, CLICKS_PER_MINUTE,
CLICK_STATISTICS, CONNECTIONS_PER_ADDRESS, DELIVERY_RETENTION_DAYS, EVENT_ALLOWED_HOSTS, EVENT_RETENTION_DAYS,
PARKED_DAYS, PAYOUT_SCHEDULE, TRUST_PROXY, LOG_LEVEL, LOG_FORMAT, METRICS, SQLITE_CACHE_MB, OIDC_ISSUER,
OIDC_CLIENT_ID, OIDC_CLIENT_SECRET. .env.example describes each of them.

Examples:
  $ refbridge serve
  $ PORT=8080 BASE_URL=https://refer.example.com refbridge serve`,
    )
    .action(async () => {
      const { readConfig } = await import('../../process/config.ts');
      const config = readConfig(loadEnvironment());
      const { serve } = await import('../../main.ts');
      const { listAccounts } = await import('../../accounts/accounts.ts');
      const { url, service } = await serve(config);
      if ((await listAccounts(service)).length === 0) hint(nextSteps(url, config.database));
    });
}

function nextSteps(url: string, database: { engine: string; path?: string }): string {
  const place = database.path === undefined ? 'The PostgreSQL database' : database.path;
  return `
${place} is ready and empty, and the server listens on ${url}.
Leave it running, and in another terminal:
  refbridge setup   creates an account and its API key
  refbridge demo    shows the product on a temporary database
`;
}
