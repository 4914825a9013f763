import type { CsvKind } from '../../src/exchange/csv-fields.ts';
import { importCsv } from '../../src/exchange/import-csv.ts';
import type { SourceItem } from '../../src/exchange/moved/facts.ts';
import { importFacts } from '../../src/exchange/moved/run.ts';
import { getPartner } from '../../src/programs/partners.ts';
import type { ReferredAccount } from '../helpers/account.ts';
import type { TestApp } from '../helpers/app.ts';

/** Imports the text of a CSV file, in which ANA stands for the address of the account's partner. */
export async function importTextFor(
  { service }: TestApp,
  { accountId, partnerId }: ReferredAccount,
  { kind, text, origin, isDryRun = false }: { kind: CsvKind; text: string; origin: string; isDryRun?: boolean },
) {
  const { email } = await getPartner(service, accountId, partnerId);
  async function* file() {
    yield Buffer.from(text.replaceAll('ANA', email));
  }
  const options = { kind, columns: new Map(), isDryRun, reportPath: null };
  return importCsv({ service, accountId, programId: null, origin }, { file: file(), ...options });
}

/** Imports what the API of another service returned, with all commissions for the account's partner. */
export function importItemsFor(
  { service }: TestApp,
  { accountId, partnerId }: ReferredAccount,
  items: readonly SourceItem[],
) {
  async function* all() {
    for (const item of items) yield item.kind === 'commission' ? { ...item, partnerId } : item;
  }
  const source = { name: 'old', title: 'Old service' };
  const target = { service, accountId, source, partnersBy: 'address', programId: null } as const;
  return importFacts(target, all(), { isDryRun: false, reportPath: null });
}
