import { join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { openService } from '../../src/main.ts';
import { createAccount } from '../../src/tracking/accounts.ts';
import { findLink, recordClick } from '../../src/tracking/click.ts';
import { createEndpoint } from '../../src/tracking/endpoints.ts';
import { trackLead } from '../../src/tracking/lead.ts';
import { createLink } from '../../src/tracking/links.ts';
import { createPartner } from '../../src/tracking/partners.ts';
import { CUSTOMERS, customerOf } from './deliveries.ts';

/** The environment of a server on a database in `folder`; the port is the system's choice. */
export function serverEnvironment(folder: string): NodeJS.ProcessEnv {
  return { DATABASE_URL: `file:${join(folder, 'refbridge.db')}`, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn' };
}

/** A database with one partner, a lead for every customer of the run, and a Stripe endpoint; returns its path. */
export async function prepareOurs(folder: string, secret: string): Promise<string> {
  const config = readConfig(serverEnvironment(folder));
  const service = await openService(config, createLog('warn', 'json'));
  const { accountId } = await createAccount(service, { name: 'Benchmark' });
  const partner = await createPartner(service, accountId, { name: 'Pia Example', email: 'pia@example.com' });
  const link = { partnerId: partner.id, domain: 'refer.example.com', key: 'bench', url: 'https://example.com/' };
  await createLink(service, accountId, link);
  const target = await findLink(service, 'refer.example.com', 'bench');
  if (target === null) throw new Error('The link was made and is missing');
  const visit = { referrerHost: null, device: null, country: null, visitorHash: null };
  const clickId = await recordClick(service, target, visit);
  for (let n = 0; n < CUSTOMERS; n++) {
    await trackLead(service, accountId, { clickId, eventName: 'Sign up', customerExternalId: customerOf(n) });
  }
  const endpoint = await createEndpoint(service, accountId, { processor: 'stripe', secrets: [secret] });
  await service.database.close();
  return new URL(endpoint.url).pathname;
}
