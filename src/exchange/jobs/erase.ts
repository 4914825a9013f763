import { claimKeys } from '../../app/claims.ts';
import type { Service } from '../../app/service.ts';
import { accountsToEraseFromImports, endImportErasure } from '../../payments/import-erasures.ts';
import { deleteProblemsOfEnded, findImportUnderWay } from '../queries/imports.ts';

/**
 * Deletes what is told about rows of imports where a processor had somebody erased: no delivery can be refused until an import
 * ends, as an erasure by hand is. One that is under way tells about its rows again every second, and is looked at again when it
 * has ended.
 */
export async function eraseFromEndedImports({ database }: Service): Promise<void> {
  for (const accountId of await database.read(accountsToEraseFromImports)) {
    await database.write(
      async (tx) => {
        await tx.claim(() => [claimKeys.imports(accountId)]);
        const isUnderWay = (await findImportUnderWay(tx, accountId)) !== undefined;
        await deleteProblemsOfEnded(tx, accountId);
        if (!isUnderWay) await endImportErasure(tx, accountId);
      },
      { alone: true },
    );
  }
}
