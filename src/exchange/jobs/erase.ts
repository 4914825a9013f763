import { claimKeys } from '../../app/claims.ts';
import { forEachAccount } from '../../app/each-account.ts';
import type { Service } from '../../app/service.ts';
import { endImportErasure, findImportErasures } from '../../payments/erasure/import-erasures.ts';
import { deleteProblems, findImportUnderWay } from '../queries/imports.ts';

/**
 * Deletes the messages about rows of imports when a processor has requested somebody's erasure: unlike an erasure by
 * hand, such a delivery cannot be refused until an import ends. A running import stores messages about its rows again
 * every second, so it is handled again when it has ended.
 */
export async function eraseFromEndedImports(service: Service): Promise<void> {
  const { database } = service;
  await forEachAccount(service, await database.read(findImportErasures), (accountId) =>
    database.write(
      async (tx) => {
        await tx.claim(() => [claimKeys.imports(accountId)]);
        const isUnderWay = (await findImportUnderWay(tx, accountId)) !== undefined;
        await deleteProblems(tx, accountId);
        if (!isUnderWay) await endImportErasure(tx, accountId);
      },
      { alone: true },
    ),
  );
}
