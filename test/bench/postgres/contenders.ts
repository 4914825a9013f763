import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { createAccount } from '../../../src/accounts/accounts.ts';
import { parseEndpoint } from '../../../src/deliveries/endpoint-fields.ts';
import { createEndpoint } from '../../../src/deliveries/endpoints.ts';
import { recordClick } from '../../../src/links/click.ts';
import { createLink } from '../../../src/links/links.ts';
import { linkInput } from '../../../src/links/schemas.ts';
import { openService } from '../../../src/open-service.ts';
import { trackLead } from '../../../src/payments/lead.ts';
import { leadInput } from '../../../src/payments/resources/customer-schemas.ts';
import { readConfig } from '../../../src/process/config.ts';
import { createLog } from '../../../src/process/log.ts';
import { createPartner } from '../../../src/programs/partners.ts';
import { partnerInput } from '../../../src/programs/schemas.ts';
import { parseInput } from '../../../src/schema/parse.ts';
import { asId } from '../../helpers/ids.ts';
import { databaseUrl, executeOnServer } from '../../helpers/postgres-server.ts';
import { type ServerProcess, startRefbridge, startServerProcess } from '../server-process.ts';
import { SCHEMA } from './by-hand.ts';
import { CUSTOMERS, customerOf, PARTNERS, type Subject, type Target } from './requests.ts';

export type Name = 'hand-written' | 'ours' | 'floor';

export interface Contender {
  name: Name;
  target: Target;
  databaseUrl: string;
  /** Selects the `id` of each row that a request stores, as `idOf` names it. */
  stored: Record<Subject, string>;
  start(): Promise<ServerProcess>;
}

const RATE_LIMIT = '1000000';

function environmentOf(url: string): NodeJS.ProcessEnv {
  return {
    DATABASE_URL: url,
    PORT: '0',
    HOST: '127.0.0.1',
    SECRET_KEY: '5b'.repeat(32),
    LOG_LEVEL: 'info',
    RATE_LIMIT_PER_MINUTE: RATE_LIMIT,
  };
}

const STORED_BY_HAND: Contender['stored'] = {
  sale: "SELECT invoice_id AS id FROM sales WHERE invoice_id LIKE 'inv\\_%'",
  lead: "SELECT customer_id AS id FROM leads WHERE customer_id LIKE 'new\\_%'",
  webhook: "SELECT invoice_id AS id FROM sales WHERE invoice_id LIKE 'in\\_%'",
};

/** It stores bodies as they were sent. */
const STORED_BY_FLOOR: Contender['stored'] = {
  sale: "SELECT CAST(body AS JSON) ->> 'invoiceId' AS id FROM events WHERE CAST(body AS JSON) ->> 'invoiceId' IS NOT NULL",
  lead: "SELECT CAST(body AS JSON) ->> 'customerExternalId' AS id FROM events WHERE CAST(body AS JSON) ->> 'eventName' IS NOT NULL",
  webhook:
    "SELECT CAST(body AS JSON) #>> '{data,object,id}' AS id FROM events WHERE CAST(body AS JSON) ->> 'type' IS NOT NULL",
};

/** Creates the contender's database on this server, with customers, clicks and an endpoint. */
export async function prepareContender(name: Name, serverUrl: string): Promise<Contender> {
  const database = `bench_${name.replace('-', '_')}`;
  await executeOnServer(serverUrl, `CREATE DATABASE ${database}`);
  const url = databaseUrl(serverUrl, database);
  const contender = await (name === 'ours' ? prepareOurs(url) : prepareByHand(name, url));
  // as autovacuum does within a minute; until then, the plans of both are random
  await executeOnServer(url, 'ANALYZE');
  return contender;
}

async function prepareOurs(url: string): Promise<Contender> {
  const service = await openService(readConfig(environmentOf(url)), createLog('warn', 'json'));
  const { accountId, programId, apiKey } = await createAccount(service, { name: 'Benchmark' });
  const secret = `whsec_${randomBytes(24).toString('hex')}`;
  const links: { id: string; partnerId: string }[] = [];
  for (let n = 0; n < PARTNERS; n++) {
    const partner = parseInput(partnerInput, { name: `Partner ${n}`, email: `partner${n}@example.com` });
    const { id: partnerId } = await createPartner(service, accountId, partner);
    const link = { partnerId, domain: 'refer.example.com', key: `bench${n}`, url: 'https://example.com' };
    const { id } = await createLink(service, accountId, parseInput(linkInput, link));
    links.push({ id, partnerId });
  }
  const visit = { referrerHost: null, device: null, country: null, visitorHash: null };
  const clickIds: string[] = [];
  for (let n = 0; n < CUSTOMERS; n++) {
    const { id, partnerId } = links[n % PARTNERS] ?? { id: '', partnerId: '' };
    const clickId = await recordClick(
      service,
      { id: asId(id), accountId, programId, partnerId: asId(partnerId) },
      visit,
    );
    const lead = { clickId, eventName: 'Sign up', customerExternalId: customerOf(n) };
    await trackLead(service, accountId, parseInput(leadInput, lead));
    clickIds.push(clickId);
  }
  const endpoint = await createEndpoint(service, accountId, parseEndpoint({ processor: 'stripe', secrets: [secret] }));
  await service.database.close();
  return {
    name: 'ours',
    target: { apiKey, secret, webhookPath: new URL(endpoint.url).pathname, clickIds },
    databaseUrl: url,
    stored: {
      sale: "SELECT invoice_id AS id FROM sales WHERE invoice_id LIKE 'inv\\_%'",
      lead: "SELECT c.external_id AS id FROM leads l JOIN customers c ON c.id = l.customer_id WHERE c.external_id LIKE 'new\\_%'",
      webhook: "SELECT invoice_id AS id FROM sales WHERE invoice_id LIKE 'in\\_%'",
    },
    start: () => startRefbridge(environmentOf(url)),
  };
}

async function prepareByHand(name: Name, url: string): Promise<Contender> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(SCHEMA);
  const apiKey = randomBytes(24).toString('hex');
  const secret = `whsec_${randomBytes(24).toString('hex')}`;
  const hash = createHash('sha256').update(apiKey).digest('hex');
  await client.query('INSERT INTO api_keys VALUES ($1, $2)', [hash, 'Benchmark']);
  const clickIds: string[] = [];
  for (let n = 0; n < PARTNERS; n++) await client.query('INSERT INTO partners VALUES ($1, 0.2)', [`partner_${n}`]);
  for (let n = 0; n < CUSTOMERS; n++) {
    const partnerId = `partner_${n % PARTNERS}`;
    clickIds.push(`click_${n}`);
    await client.query('INSERT INTO clicks VALUES ($1, $2)', [`click_${n}`, partnerId]);
    await client.query('INSERT INTO customers VALUES ($1, $2, $3)', [customerOf(n), partnerId, `user${n}@example.com`]);
  }
  await client.end();
  return {
    name,
    target: { apiKey, secret, webhookPath: '/webhooks', clickIds },
    databaseUrl: url,
    stored: name === 'floor' ? STORED_BY_FLOOR : STORED_BY_HAND,
    start: () => startServerProcess(`postgres/${name}`, { DATABASE_URL: url, SECRET: secret }),
  };
}
