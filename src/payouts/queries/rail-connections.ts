import type { AccountId, RailConnectionId } from '../../core/ids.ts';
import type { TransferRailName } from '../../rails/contract/rail.ts';
import type { Transaction } from '../../storage/database.ts';

export interface RailConnection {
  id: RailConnectionId;
  accountId: AccountId;
  rail: TransferRailName;
  /** The provider's id and name of the account that pays. */
  platformId: string;
  platformName: string | null;
  isLive: number;
  /** Null: the provider's usual address. */
  apiUrl: string | null;
  sealedSecrets: Buffer;
  createdAt: number;
  createdBy: string;
}

const CONNECTION = `SELECT c.id, c.account_id AS "accountId", c.rail, c.platform_id AS "platformId",
    c.platform_name AS "platformName", c.is_live AS "isLive", c.api_url AS "apiUrl",
    c.sealed_secrets AS "sealedSecrets", c.created_at AS "createdAt", c.created_by AS "createdBy"
  FROM rail_connections c WHERE c.account_id = @accountId`;

export function findConnections(tx: Transaction, accountId: AccountId) {
  return tx.all<RailConnection>(`${CONNECTION} ORDER BY c.rail`, { accountId });
}

export function findConnection(tx: Transaction, accountId: AccountId, rail: TransferRailName) {
  return tx.get<RailConnection>(`${CONNECTION} AND c.rail = @rail`, { accountId, rail });
}

/** Replaces the account's connection with the same provider. */
export async function putConnection(tx: Transaction, connection: RailConnection): Promise<void> {
  await tx.run(
    `INSERT INTO rail_connections (id, account_id, rail, platform_id, platform_name, is_live, api_url, sealed_secrets,
       created_at, created_by)
     VALUES (@id, @accountId, @rail, @platformId, @platformName, @isLive, @apiUrl, @sealedSecrets, @createdAt,
       @createdBy)
     ON CONFLICT (account_id, rail) DO UPDATE SET platform_id = excluded.platform_id,
       platform_name = excluded.platform_name, is_live = excluded.is_live, api_url = excluded.api_url,
       sealed_secrets = excluded.sealed_secrets, created_at = excluded.created_at, created_by = excluded.created_by`,
    { ...connection },
  );
}

export function deleteConnection(tx: Transaction, accountId: AccountId, rail: TransferRailName): Promise<number> {
  return tx.run('DELETE FROM rail_connections WHERE account_id = @accountId AND rail = @rail', { accountId, rail });
}
