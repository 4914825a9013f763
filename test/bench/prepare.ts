import { join } from 'node:path';
import { createAccount } from '../../src/accounts/accounts.ts';
import { parseEndpoint } from '../../src/deliveries/endpoint-fields.ts';
import { createEndpoint } from '../../src/deliveries/endpoints.ts';
import { recordClick } from '../../src/links/click.ts';
import { createLink } from '../../src/links/links.ts';
import { linkInput } from '../../src/links/schemas.ts';
import { openService } from '../../src/open-service.ts';
import { trackLead } from '../../src/payments/lead.ts';
import { leadInput } from '../../src/payments/resources/customer-schemas.ts';
import { readConfig } from '../../src/process/config.ts';
import { createLog } from '../../src/process/log.ts';
import { createPartner } from '../../src/programs/partners.ts';
import { partnerInput } from '../../src/programs/schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { asId } from '../helpers/ids.ts';
import { CUSTOMERS, customerOf } from './deliveries.ts';

/** The environment of a server with its database in `folder`; the system chooses the port. */
export function serverEnvironment(folder: string): NodeJS.ProcessEnv {
  return {
    DATABASE_URL: `file:${join(folder, 'refbridge.db')}`,
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    CLICKS_PER_MINUTE: '0',
  };
}

/** The number of links that visits are spread over. */
export const LINKS = 100;

function linkOf(n: number, partnerId: string) {
  return parseInput(linkInput, {
    partnerId,
    domain: 'refer.example.com',
    key: `bench${n % LINKS}`,
    url: 'https://example.com/lamps?ref=links',
  });
}

/**
 * Creates a database with one partner and its links, a lead for every customer of the run, and a Stripe endpoint;
 * returns its path.
 */
export async function prepareOurs(folder: string, secret: string): Promise<string> {
  const config = readConfig(serverEnvironment(folder));
  const service = await openService(config, createLog('warn', 'json'));
  const { accountId, programId } = await createAccount(service, { name: 'Benchmark' });
  const pia = parseInput(partnerInput, { name: 'Pia Example', email: 'pia@example.com' });
  const partner = await createPartner(service, accountId, pia);
  const { id } = await createLink(service, accountId, linkOf(0, partner.id));
  for (let n = 1; n < LINKS; n++) await createLink(service, accountId, linkOf(n, partner.id));
  const visit = { referrerHost: null, device: null, country: null, visitorHash: null };
  const clickId = await recordClick(
    service,
    { id: asId(id), accountId, programId, partnerId: asId(partner.id) },
    visit,
  );
  for (let n = 0; n < CUSTOMERS; n++) {
    await trackLead(
      service,
      accountId,
      parseInput(leadInput, { clickId, eventName: 'Sign up', customerExternalId: customerOf(n) }),
    );
  }
  const endpoint = await createEndpoint(service, accountId, parseEndpoint({ processor: 'stripe', secrets: [secret] }));
  await service.database.close();
  return new URL(endpoint.url).pathname;
}
