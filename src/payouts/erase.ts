import type { Transaction } from '../storage/database.ts';
import { eraseFilesOf } from './queries/files.ts';

/** Removes the content of the files that contain the partner's account. The payouts in the files stay as they are. */
export async function eraseFilesOfPartner(tx: Transaction, partnerId: string): Promise<void> {
  await eraseFilesOf(tx, partnerId);
}
