import type { Adapter, BackfillRequest } from '../../adapters/contract/adapter.ts';
import { declarations } from '../../adapters/settings.ts';
import { requireAllowedApi } from '../app/allowed-address.ts';
import type { Service } from '../app/service.ts';
import { requireEndpoint } from '../deliveries/endpoints.ts';
import { type BackfilledJob, readBackfilled } from '../deliveries/job.ts';
import { storeIfMissing } from '../deliveries/store-missing.ts';
import { itemOf } from './items.ts';
import { Stopped } from './lease.ts';
import { withNotRead } from './not-read.ts';
import { type Progress, progressAfter } from './progress.ts';
import { hasInvoice, hasItem, type Item, insertItem } from './queries/items.ts';
import { countMissing } from './queries/leases.ts';
import type { ReconciliationRow } from './queries/reconciliations.ts';
import { requireBackfill } from './require-backfill.ts';

/** What became of a page, without deliveries that were noted as missing before: on another page, or in another attempt. */
export interface ReadPage extends Progress {
  knownCount: number;
  ignoredCount: number;
  /** What was missing, in a dry run. Otherwise it is already stored. */
  items: Item[];
  /** Of this page and those before, as JSON. */
  notRead: string;
  /** Where the next page begins; null after the last. */
  cursor: string | null;
}

/** Longer than an adapter allows the few requests of a page. */
const REQUESTS_MS_MAX = 180_000;

/**
 * Reads one page, and stores each delivery that is missing in a unit of work of its own, which also notes it. A page that
 * was read in part is read again from its beginning: what was stored is not counted twice.
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
  const read: ReadPage = { knownCount: 0, ignoredCount: 0, items: [], notRead, cursor: page.cursor, ...progress };
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
  const { deliveryKey } = job.received;
  const isDryRun = row.dryRun === 1;
  const taken = await storeIfMissing(database, job, {
    isDryRun,
    async note(tx, missing) {
      await insertItem(tx, itemOf({ id, now: clock() }, job, missing));
      await countMissing(tx, id, missing.outcome);
    },
  });
  if (taken.kind === 'ignored') read.ignoredCount += 1;
  else if (taken.kind === 'known') {
    // what was missing is known as soon as it is stored
    if (isDryRun || !(await database.read((tx) => hasItem(tx, id, deliveryKey)))) read.knownCount += 1;
  } else if (isDryRun) {
    await noteInDryRun(service, itemOf({ id, now: clock() }, job, taken.missing), read);
  }
}

/** A dry run stores no payment, so another report of the same one would be missing, too. */
async function noteInDryRun({ database }: Service, item: Item, read: ReadPage): Promise<void> {
  const { invoiceId, deliveryKey, reconciliationId: id } = item;
  const isNoted = read.items.some((other) => other.deliveryKey === deliveryKey);
  if (isNoted || (await database.read((tx) => hasItem(tx, id, deliveryKey)))) return;
  const isSame = (other: Item) => other.invoiceId === invoiceId;
  const isKnown =
    invoiceId !== null && (read.items.some(isSame) || (await database.read((tx) => hasInvoice(tx, id, invoiceId))));
  if (isKnown) read.knownCount += 1;
  else read.items.push(item);
}
