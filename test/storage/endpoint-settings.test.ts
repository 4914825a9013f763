import { describe, expect, it } from 'vitest';
import { hasSecrets, openSecrets } from '../../src/deliveries/endpoint-secrets.ts';
import { findEndpointForDelivery } from '../../src/deliveries/queries/endpoints.ts';
import { createSealer } from '../../src/process/sealer.ts';
import type { SqlParameters } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { createEmptyDatabase, engines } from '../helpers/databases.ts';
import { migrationsBefore } from '../helpers/earlier-migrations.ts';
import { createTestService } from '../helpers/service.ts';

const sealer = createSealer(Buffer.alloc(32, 7));
/** Secrets as sealed before this migration. */
const seal = (secrets: string[], authorization: string | null) =>
  sealer.seal(JSON.stringify({ secrets, authorization }));

const PROGRAM = {
  id: 'prg_1',
  account_id: 'acc_1',
  name: 'Partners',
  description: '',
  commission: '{}',
  hold_days: 30,
  minimum_payout: '{}',
  amount_basis: 'net',
  email_matching: 0,
  self_referral: 'off',
  tracked_hosts: '[]',
  portal: '{}',
  created_at: 1,
};
const NOTHING_SET = {
  account_id: 'acc_1',
  program_id: 'prg_1',
  secret_count: 0,
  has_authorization: 0,
  accept_test_events: 0,
  count_payment_intents: 0,
  created_at: 1,
};

/** Members that adapters declare since. */
const NOT_YET = { apiUrl: null, accessToken: null };

/** A row of the previous version, and the settings that its endpoint must have afterwards. */
const ENDPOINTS: [row: SqlParameters & { id: string }, told: object, counts: object][] = [
  [
    { ...NOTHING_SET, id: 'whe_new', processor: 'stripe' },
    { acceptTestEvents: false, countPaymentIntents: false, secrets: [], ...NOT_YET },
    { secrets: 0 },
  ],
  [
    {
      ...NOTHING_SET,
      id: 'whe_stripe',
      processor: 'stripe',
      count_payment_intents: 1,
      accept_test_events: 1,
      sealed_secrets: seal(['whsec_1', 'whsec_2'], null),
      secret_count: 2,
    },
    { acceptTestEvents: true, countPaymentIntents: true, secrets: ['whsec_1', 'whsec_2'], ...NOT_YET },
    { secrets: 2 },
  ],
  [
    {
      ...NOTHING_SET,
      id: 'whe_shopify',
      processor: 'shopify',
      shop_domain: 'fern.myshopify.com',
      sealed_secrets: seal(['shpss_1'], null),
      secret_count: 1,
    },
    { acceptTestEvents: false, shopDomain: 'fern.myshopify.com', secrets: ['shpss_1'], ...NOT_YET },
    { secrets: 1 },
  ],
  [
    {
      ...NOTHING_SET,
      id: 'whe_revenuecat',
      processor: 'revenuecat',
      count_stores: '["APP_STORE","STRIPE"]',
      sealed_secrets: seal([], 'Bearer "x"'),
      has_authorization: 1,
    },
    { acceptTestEvents: false, countStores: ['APP_STORE', 'STRIPE'], secrets: [], authorization: 'Bearer "x"' },
    { secrets: 0, authorization: 1 },
  ],
];

function insert(table: string, row: SqlParameters): [string, SqlParameters] {
  const columns = Object.keys(row);
  return [`INSERT INTO ${table} (${columns}) VALUES (${columns.map((column) => `@${column}`)})`, row];
}

describe.each(engines)('endpoints created before adapters declared their settings, on %s', (engine) => {
  it('keep every setting and secret', async () => {
    const empty = await createEmptyDatabase(engine);
    const earlier = await migrationsBefore('0009');
    const before = await openDatabase(empty.url, { migrationsFolder: earlier.folder });
    await before.write(async (tx) => {
      await tx.run(...insert('accounts', { id: 'acc_1', name: 'Example Ltd', created_at: 1 }));
      await tx.run(...insert('programs', PROGRAM));
      for (const [row] of ENDPOINTS) await tx.run(...insert('webhook_endpoints', row));
    });
    await before.close();

    const after = await openDatabase(empty.url);
    const service = createTestService({ database: after, sealer });
    for (const [{ id, processor }, told, counts] of ENDPOINTS) {
      const endpoint = await after.read((tx) => findEndpointForDelivery(tx, id, processor as 'stripe'));
      expect(endpoint, id).toMatchObject({ id, processor, accountId: 'acc_1', programId: null, createdAt: 1 });
      if (endpoint === undefined) continue;
      expect(endpoint.secretCounts).toEqual(counts);
      expect(hasSecrets(endpoint)).toBe(endpoint.sealedSecrets !== null);
      expect(openSecrets(service, endpoint)).toEqual(told);
    }
    await after.close();
    await empty.remove();
    await earlier.remove();
  });
});
