import type { Adapter, BackfillRequest } from '../../adapters/contract/adapter.ts';
import { declarations } from '../../adapters/settings.ts';
import { requireAllowedApi } from '../app/allowed-address.ts';
import type { Service } from '../app/service.ts';
import { requireEndpoint } from '../deliveries/endpoints.ts';
import { type BackfilledJob, readBackfilled } from '../deliveries/job.ts';
import { type MissingDelivery, storeIfMissing } from '../deliveries/store-missing.ts';
import { findSalePayment } from '../payments/known-sale.ts';
import { carriedFactsOf, findEarlierFacts, namesIn } from './carried-facts.ts';
import { itemOf } from './items.ts';
import { Stopped } from './lease.ts';
import { withNotRead } from './not-read.ts';
import { type Progress, progressAfter } from './progress.ts';
import { insertReferences } from './queries/carried.ts';
import { hasInvoice, hasItem, type Item, insertItem } from './queries/items.ts';
import { countMissing } from './queries/leases.ts';
import type { ReconciliationRow } from './queries/reconciliations.ts';
import { requireBackfill } from './require-backfill.ts';

/** What became of a page, without deliveries that were noted as missing before: on another page, or in another attempt. */
export interface ReadPage extends Progress {
  knownCount: number;
  ignoredCount: number;
  /** Of this page and those before, as JSON. */
  notRead: string;
  /** Where the next page begins; null after the last. */
  cursor: string | null;
}

/** Longer than an adapter allows the few requests of a page. */
const REQUESTS_MS_MAX = 180_000;

/**
 * Reads one page, and stores each delivery that is missing in a unit of work of its own, which also notes it; in a dry run, it
 * only notes it. A page that was read in part is read again from its beginning: what was noted is not counted twice.
 *
 * @throws ServiceError `UNAVAILABLE` when the same page may succeed later; another one when it cannot; Stopped; the signal's reason
 */
export async function readPage(service: Service, row: ReconciliationRow, signal: AbortSignal): Promise<ReadPage> {
  const { accountId, endpointId, processor, since, createdAt: until, cursor } = row;
  const endpoint = await service.database.read((tx) => requireEndpoint(tx, accountId, endpointId));
  const { accessToken, apiUrl } = requireBackfill(service, endpoint);
  requireAllowedApi(service, apiUrl, 'apiUrl', declarations[processor].apiHosts);
  const adapter = await service.adapterFor(processor);
  const request = { accessToken, settings: endpoint.settings, since, until, cursor };
  const page = await requestPage(adapter, { ...request, fetch: globalThis.fetch, signal });
  const progress = { pageCount: row.pageCount, markedCursor: row.markedCursor };
  const notRead = withNotRead(row.notRead, page.notRead ?? []);
  const read: ReadPage = { knownCount: 0, ignoredCount: 0, notRead, cursor: page.cursor, ...progress };
  for (const delivery of page.deliveries) {
    if (service.lifecycle.draining) throw new Stopped(false);
    signal.throwIfAborted();
    await takeDelivery(service, row, await readBackfilled(service, { adapter, endpoint, request: delivery }), read);
  }
  // afterwards, because this page may list what no other one does
  return page.cursor === null ? read : { ...read, ...progressAfter({ ...progress, cursor }, page.cursor) };
}

async function requestPage(adapter: Adapter, request: BackfillRequest) {
  if (adapter.backfill === undefined) throw new Error(`${adapter.processor} has no backfill.ts`);
  const { readPage: ask } = await adapter.backfill();
  const timeout = AbortSignal.timeout(REQUESTS_MS_MAX);
  const page = await ask({ ...request, signal: AbortSignal.any([request.signal, timeout]) });
  request.signal.throwIfAborted();
  return page;
}

async function takeDelivery(
  service: Service,
  row: ReconciliationRow,
  job: BackfilledJob,
  read: ReadPage,
): Promise<void> {
  const { database, clock } = service;
  const { id } = row;
  const isNoted = () => database.read((tx) => hasItem(tx, id, job.received.deliveryKey));
  const isDryRun = row.dryRun === 1;
  // what a dry run has noted is not stored, and would be missing again
  if (isDryRun && (await isNoted())) return;
  let hasEarlier = false;
  const taken = await storeIfMissing(database, job, {
    isDryRun,
    async findEarlier(tx, facts) {
      const earlier = await findEarlierFacts(tx, row, facts);
      hasEarlier = earlier.length > 0;
      return earlier;
    },
    async note(tx, missing) {
      await insertItem(tx, itemOf({ id, now: clock() }, job, missing));
      await countMissing(tx, id, missing.outcome);
    },
  });
  if (taken.kind === 'ignored') read.ignoredCount += 1;
  else if (taken.kind === 'known') {
    // what was missing is known as soon as it is stored
    if (isDryRun || !(await isNoted())) read.knownCount += 1;
  } else if (isDryRun) {
    const item = itemOf({ id, now: clock() }, job, taken.missing);
    if (await noteInDryRun(service, row, { item, missing: taken.missing, hasEarlier })) read.knownCount += 1;
  }
}

interface Found {
  item: Item;
  missing: MissingDelivery;
  /** Whether the run has found others of the same payment. */
  hasEarlier: boolean;
}

/** Notes what is missing, unless it is another report of a payment that was noted: then it returns true. */
function noteInDryRun(
  { database }: Service,
  row: ReconciliationRow,
  { item, missing, hasEarlier }: Found,
): Promise<boolean> {
  const { invoiceId, reconciliationId } = item;
  const { accountId } = row;
  return database.write(
    async (tx) => {
      // a sale is news even then: another report has brought the customer of a payment that nobody had earned
      const mayBeNoted = item.outcome !== 'sale' && invoiceId !== null;
      if (mayBeNoted && (await hasInvoice(tx, reconciliationId, invoiceId))) return true;
      // the sale of a missing payment is not stored
      const saleId = item.saleId !== null && (await findSalePayment(tx, accountId, item.saleId)) ? item.saleId : null;
      const names = await namesIn(tx, row, missing.facts);
      const carried = await carriedFactsOf(tx, accountId, missing, hasEarlier || names.isStored);
      if ((await insertItem(tx, { ...item, saleId }, carried)) === 0) return false;
      await countMissing(tx, reconciliationId, item.outcome);
      if (carried !== null) await insertReferences(tx, item, names.all);
      return false;
    },
    { alone: true },
  );
}
