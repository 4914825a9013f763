import { type Page, pageOf, pageOfPartners, withNarrowing } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, SaleId } from '../core/ids.ts';
import { hasQueued } from '../payouts/queue.ts';
import { partnerIdsOf } from '../programs/tenants.ts';
import type { Transaction } from '../storage/database.ts';
import { asEntry } from './entry-resource.ts';
import { findEntries, orderOfEntries } from './queries/list.ts';
import type { EntryResource, LedgerQuery } from './schemas.ts';

/** One page of the ledger, newest first. */
export function listLedger(service: Service, accountId: AccountId, query: LedgerQuery): Promise<Page<EntryResource>> {
  const { limit, cursor, from, to, partnerId, tenantId, programId, currency, kind, saleId, payoutId } = query;
  const page = { limit, cursor, from, to, values: { programId, currency } };
  return service.database.report((tx) =>
    pageOf(
      page,
      async (bounds) => {
        // the query would otherwise scan every entry for the currency
        if (currency !== null && !(await hasQueued(tx, accountId, currency))) return [];
        const partnerIds = await partnerIdsOf(tx, accountId, { partnerId, tenantId });
        const filters = { saleId, payoutId, kind };
        return pageOfPartners(partnerIds, { limit: bounds.limit, sortedBy: orderOfEntries(filters) }, (id) =>
          findEntries(tx, accountId, withNarrowing({ ...filters, partnerId: id }, bounds), bounds),
        );
      },
      asEntry,
    ),
  );
}

/** Far above the actual number: a sale has a commission and a few entries for each refund and dispute. */
const ENTRIES_OF_SALE_MAX = 1000;

/** Every entry of one sale, oldest first. */
export async function entriesOfSale(tx: Transaction, accountId: AccountId, saleId: SaleId): Promise<EntryResource[]> {
  const entries = await findEntries(tx, accountId, { saleId }, { limit: ENTRIES_OF_SALE_MAX, beforeId: 'ent_z' });
  return entries.map(asEntry).reverse();
}
