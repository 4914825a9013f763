import type { AccountId, PartnerId, PayoutFileId, PayoutId } from '../../core/ids.ts';
import type { PayoutStatus } from '../../core/payout.ts';
import type { FileRailName, TransferRailName } from '../../rails/contract/rail.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyIds } from '../../storage/many-ids.ts';
import { manyRows } from '../../storage/many-rows.ts';

/** A payout that may go into a file. */
export interface PayoutToSend {
  id: PayoutId;
  partnerId: PartnerId;
  partnerName: string;
  amount: number;
  currency: string;
  status: PayoutStatus;
  /** The live file that contains it; null when none does. */
  fileId: PayoutFileId | null;
  /** The rail from which it was ever ordered, which may have paid it; null if it was not. */
  transferRail: TransferRailName | null;
  /** JSON; null without details. */
  payoutDetails: string | null;
  sealedDetails: Buffer | null;
}

const TO_SEND = `SELECT p.id, p.partner_id AS "partnerId", n.name AS "partnerName", p.amount, p.currency, p.status,
    (SELECT r.file_id FROM payout_file_rows r WHERE r.payout_id = p.id AND r.live = 1) AS "fileId",
    (SELECT t.rail FROM payout_transfers t WHERE t.payout_id = p.id) AS "transferRail",
    n.payout_details AS "payoutDetails", n.sealed_payout_details AS "sealedDetails"
  FROM payouts p JOIN partners n ON n.id = p.partner_id
  WHERE p.account_id = @accountId`;

/** A page of the account's payouts that are processing, oldest first. */
export function findProcessingToSend(
  tx: Transaction,
  accountId: AccountId,
  { afterId, limit }: { afterId: string; limit: number },
) {
  return tx.all<PayoutToSend>(`${TO_SEND} AND p.status = 'processing' AND p.id > @afterId ORDER BY p.id LIMIT @limit`, {
    accountId,
    afterId,
    limit,
  });
}

const findByIds = manyIds<PayoutToSend>((list) => `${TO_SEND} AND p.id IN ${list}`);

/** The account's payouts with these ids, in any state and any order. */
export function findPayoutsToSend(tx: Transaction, accountId: AccountId, ids: readonly string[]) {
  return findByIds(tx, ids, { accountId });
}

export interface PayoutFile {
  id: PayoutFileId;
  accountId: AccountId;
  rail: FileRailName;
  currency: string;
  payoutCount: number;
  /** Minor units. */
  amount: number;
  contentType: string;
  fileName: string;
  createdAt: number;
  createdBy: string;
  canceledAt: number | null;
}

export async function insertPayoutFile(tx: Transaction, file: PayoutFile & { content: Buffer }): Promise<void> {
  await tx.run(
    `INSERT INTO payout_files (id, account_id, rail, currency, payout_count, amount, content_type, file_name,
       sealed_content, created_at, created_by, canceled_at)
     VALUES (@id, @accountId, @rail, @currency, @payoutCount, @amount, @contentType, @fileName, @content, @createdAt,
       @createdBy, @canceledAt)`,
    { ...file },
  );
}

const insertRows = manyRows({
  before: 'INSERT INTO payout_file_rows (file_id, payout_id, live) VALUES',
  names: ['fileId', 'payoutId', 'live'],
  after: 'ON CONFLICT DO NOTHING',
});

/** Puts payouts into a live file. Returns the number that were in no other live file. */
export function insertFileRows(tx: Transaction, fileId: PayoutFileId, payoutIds: readonly PayoutId[]): Promise<number> {
  return insertRows(
    tx,
    payoutIds.map((payoutId) => ({ fileId, payoutId, live: 1 })),
  );
}

/**
 * The number of the payouts in a file that are still processing and that no transfer pays. Each is looked up: in a join,
 * PostgreSQL reads all that the account has in processing for each of them while its statistics do not know the account.
 */
export async function countStillProcessing(
  tx: Transaction,
  accountId: AccountId,
  fileId: PayoutFileId,
): Promise<number> {
  const found = await tx.get<{ count: number }>(
    `SELECT COUNT(*) AS count FROM payout_file_rows r WHERE r.file_id = @fileId AND 'processing' =
       (SELECT CASE WHEN p.account_id = @accountId THEN p.status END FROM payouts p WHERE p.id = r.payout_id)
       AND COALESCE((SELECT 1 FROM payout_transfers t WHERE t.payout_id = r.payout_id), 0) = 0`,
    { accountId, fileId },
  );
  return found?.count ?? 0;
}

const FILE = `SELECT f.id, f.account_id AS "accountId", f.rail, f.currency, f.payout_count AS "payoutCount", f.amount,
    f.content_type AS "contentType", f.file_name AS "fileName", f.created_at AS "createdAt",
    f.created_by AS "createdBy", f.canceled_at AS "canceledAt"`;

/** Newest first. */
export function findPayoutFiles(
  tx: Transaction,
  accountId: AccountId,
  { beforeId, limit }: { beforeId: string; limit: number },
) {
  return tx.all<PayoutFile>(
    `${FILE} FROM payout_files f WHERE f.account_id = @accountId AND f.id < @beforeId ORDER BY f.id DESC LIMIT @limit`,
    { accountId, beforeId, limit },
  );
}

export function findPayoutFile(tx: Transaction, accountId: AccountId, id: string) {
  return tx.get<PayoutFile & { content: Buffer | null }>(
    `${FILE}, f.sealed_content AS content FROM payout_files f WHERE f.account_id = @accountId AND f.id = @id`,
    { accountId, id },
  );
}

export function findFileWithoutContent(tx: Transaction, accountId: AccountId, id: string) {
  return tx.get<PayoutFile>(`${FILE} FROM payout_files f WHERE f.account_id = @accountId AND f.id = @id`, {
    accountId,
    id,
  });
}

/** A payout that was put into a file. */
export interface PayoutInFile {
  id: PayoutId;
  partnerId: PartnerId;
  partnerName: string;
  amount: number;
  currency: string;
  status: PayoutStatus;
  paidAt: number | null;
  note: string | null;
}

/** The payouts of one file, newest first. */
export function findPayoutsOfFile(
  tx: Transaction,
  fileId: PayoutFileId,
  { beforeId, limit }: { beforeId: string; limit: number },
) {
  return tx.all<PayoutInFile>(
    `SELECT p.id, p.partner_id AS "partnerId",
       (SELECT n.name FROM partners n WHERE n.id = p.partner_id) AS "partnerName", p.amount, p.currency, p.status,
       p.paid_at AS "paidAt", p.note
     FROM payout_file_rows r CROSS JOIN payouts p
     WHERE r.file_id = @fileId AND r.payout_id < @beforeId AND p.id = r.payout_id
     ORDER BY r.payout_id DESC LIMIT @limit`,
    { fileId, beforeId, limit },
  );
}

/** The ids of all payouts that were put into this file. */
export function findIdsInFile(tx: Transaction, fileId: string) {
  return tx.all<{ id: PayoutId }>('SELECT r.payout_id AS id FROM payout_file_rows r WHERE r.file_id = @fileId', {
    fileId,
  });
}

/** True when the payout was put into this file. */
export async function isInFile(tx: Transaction, fileId: string, payoutId: string): Promise<boolean> {
  const sql = 'SELECT 1 AS one FROM payout_file_rows r WHERE r.file_id = @fileId AND r.payout_id = @payoutId';
  return (await tx.get(sql, { fileId, payoutId })) !== undefined;
}

/**
 * Keeps the payout in this file until the unit ends, which must run `alone`. Returns false when the file was canceled, or has
 * no such payout.
 */
export async function keepInLiveFile(tx: Transaction, fileId: string, payoutId: PayoutId): Promise<boolean> {
  const sql = `SELECT 1 AS one FROM payout_file_rows r
    WHERE r.file_id = @fileId AND r.payout_id = @payoutId AND r.live = 1 /* postgres: FOR SHARE */`;
  return (await tx.get(sql, { fileId, payoutId })) !== undefined;
}

/** The file that the payout is in, unless that file was canceled. */
export async function findLiveFile(tx: Transaction, payoutId: string): Promise<PayoutFileId | null> {
  const sql = 'SELECT r.file_id AS "fileId" FROM payout_file_rows r WHERE r.payout_id = @payoutId AND r.live = 1';
  return (await tx.get<{ fileId: PayoutFileId }>(sql, { payoutId }))?.fileId ?? null;
}

/** Takes a file out of use: its payouts may go into another one, and nothing reads its content any more. */
export async function cancelFile(tx: Transaction, id: PayoutFileId, now: number): Promise<void> {
  await tx.run('UPDATE payout_files SET canceled_at = @now, sealed_content = NULL WHERE id = @id', { id, now });
  await tx.run('UPDATE payout_file_rows SET live = 0 WHERE file_id = @id', { id });
}

/** Removes the content of every file that contains an account of the partner. */
export async function eraseFilesOf(tx: Transaction, partnerId: string): Promise<void> {
  await tx.run(
    `UPDATE payout_files SET sealed_content = NULL WHERE id IN (
       SELECT r.file_id FROM payouts p CROSS JOIN payout_file_rows r
       WHERE p.partner_id = @partnerId AND r.payout_id = p.id)`,
    { partnerId },
  );
}
