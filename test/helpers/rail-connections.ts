import type { Service } from '../../src/app/service.ts';

/** The account at a provider from which payouts are sent. */
export async function addConnection({ database, sealer }: Service, accountId: string, secret: string): Promise<void> {
  const sql = `INSERT INTO rail_connections (id, account_id, rail, platform_id, is_live, sealed_secrets, created_at, created_by)
    VALUES ('rcn_1', @accountId, 'stripe', 'acct_1PlatformEXAMPLE', 0, @sealed, 1000, 'command line')`;
  await database.write((tx) => tx.run(sql, { accountId, sealed: sealer.seal(secret) }));
}

/** What is sealed in the connections, as this service opens it. */
export async function secretsOf({ database, sealer }: Service): Promise<string[]> {
  const sql = 'SELECT c.sealed_secrets AS sealed FROM rail_connections c ORDER BY c.id';
  return (await database.read((tx) => tx.all<{ sealed: Buffer }>(sql))).map(({ sealed }) => sealer.open(sealed));
}
