/**
 * Every list with every filter, plus reports and resources. Lists and their filters come from the route declarations,
 * so a new list or filter is measured without a change here.
 */
import { z } from 'zod';
import type { Route } from '../../../src/app/route.ts';
import { createRoutes } from '../../../src/http/routes.ts';
import type { Client } from './client.ts';
import { type Dataset, LARGEST_PARTNER, SMALL_PARTNER } from './dataset.ts';
import { partnerOfSale } from './fill/money-rows.ts';
import { ENDPOINT_ID, PROGRAM_ID } from './fill/names.ts';
import { DAY_MS } from './fill/shape.ts';

/** One call to measure. */
export interface Read {
  /** The operation, `listSales`. */
  operationId: string;
  /** For people: `sales?status=paid`. */
  label: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  isList: boolean;
  /**
   * True for a whole list as a file, which takes as long as the list is long: only the time until it begins is
   * measured.
   */
  isFile: boolean;
}

interface Sample {
  /** The kind of value, for the label. */
  name: string;
  value: string;
}

/** A filter that this file does not know is measured with a value that matches nothing, which is often the slowest. */
const UNKNOWN: readonly Sample[] = [{ name: 'nothing', value: 'nothing' }];
const NO_FILTERS: readonly string[] = ['cursor', 'limit', 'format', 'year'];
/** The query parameters that a list, or one of its filters, requires. */
const NEEDS: Readonly<Record<string, string>> = {
  'listEvents status': `&endpointId=${ENDPOINT_ID}`,
  listPayoutTotals: `&year=${new Date().getUTCFullYear()}`,
};
const PAGE_LIMIT = 20;
const LIMIT_MAX = 100;
const PAGES_BEFORE = 99;

export function createReads(dataset: Dataset): Read[] {
  const lists = createRoutes().filter((route) => isList(route) && route.credential === 'api-key');
  return [...lists.flatMap((route) => readsOfList(dataset, route)), ...reportReads(dataset)];
}

/** Excludes the lists of a single resource, which the dataset may not contain. */
function isList({ method, path, query }: Route): boolean {
  return (
    method === 'GET' &&
    !path.includes(':') &&
    query instanceof z.ZodObject &&
    'cursor' in query.shape &&
    'limit' in query.shape
  );
}

function readsOfList(dataset: Dataset, route: Route): Read[] {
  const shape: Record<string, z.ZodType> = route.query.shape;
  const filters = Object.keys(shape).filter((name) => !NO_FILTERS.includes(name));
  const single = filters.flatMap((name) => samplesOf(dataset, name, shape[name]).map((sample) => ({ name, sample })));
  const resource = route.path.replace('/api/', '');
  const readOf = (label: string, query: string): Read => ({
    operationId: route.operationId,
    label: `${resource}${label}`,
    path: `${route.path}?limit=${PAGE_LIMIT}${NEEDS[route.operationId] ?? ''}${query}`,
    headers: authorization(dataset.apiKey),
    isList: true,
    isFile: false,
  });
  const filtered = single.map(({ name, sample }) =>
    readOf(
      `?${name}=${sample.name}`,
      `&${name}=${encodeURIComponent(sample.value)}${NEEDS[`${route.operationId} ${name}`] ?? ''}`,
    ),
  );
  const file = { ...readOf('?format=csv', '&format=csv'), isList: false, isFile: true };
  return [readOf('', ''), largePage(route, dataset), ...filtered, ...('format' in shape ? [file] : [])];
}

/** The largest page of the list. */
function largePage(route: Route, { apiKey }: Dataset): Read {
  return {
    operationId: route.operationId,
    label: `${route.path.replace('/api/', '')}?limit=${LIMIT_MAX}`,
    path: `${route.path}?limit=${LIMIT_MAX}${NEEDS[route.operationId] ?? ''}`,
    headers: authorization(apiKey),
    isList: false,
    isFile: false,
  };
}

/** Every value of an enumeration; for ids, one that matches many rows and one that matches few. */
function samplesOf(dataset: Dataset, filter: string, schema: z.ZodType | undefined): readonly Sample[] {
  const values = valuesOf(schema);
  if (values !== null) return values.map((value) => ({ name: value, value }));
  const { names, shape } = dataset;
  const sale = middleSale(dataset);
  const time = (before: number) => [{ name: '30 days', value: new Date(shape.until - before).toISOString() }];
  const known: Record<string, readonly Sample[]> = {
    partnerId: [
      { name: 'largest', value: names.partnerAt(LARGEST_PARTNER) },
      { name: 'small', value: names.partnerAt(SMALL_PARTNER) },
    ],
    customerExternalId: [{ name: 'one', value: names.externalId(shape.customerOf(sale)) }],
    invoiceId: [{ name: 'one', value: names.invoice(sale) }],
    saleId: [{ name: 'one', value: names.sale(sale) }],
    payoutId: [{ name: 'largest', value: largestPayout(dataset) }],
    linkId: [{ name: 'largest', value: names.linkAt(0) }],
    programId: [{ name: 'one', value: PROGRAM_ID }],
    // one that almost every row has; for one that no row has, a list walks the account until the reports' deadline
    // (plans.test.ts)
    currency: [{ name: 'usd', value: 'usd' }],
    search: [{ name: 'one', value: names.externalId(shape.customerOf(sale)) }],
    endpointId: [{ name: 'one', value: ENDPOINT_ID }],
    from: time(30 * DAY_MS),
    to: time(30 * DAY_MS),
  };
  return known[filter] ?? UNKNOWN;
}

/** The values of an enumeration, or null for anything else; looks through `optional`, defaults and transformations. */
function valuesOf(schema: z.ZodType | undefined): string[] | null {
  if (schema === undefined) return null;
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  const found = json.enum ?? json.anyOf?.find((part) => part.enum !== undefined)?.enum;
  return found?.filter((value) => value !== null) ?? null;
}

interface JsonSchema {
  enum?: string[];
  anyOf?: JsonSchema[];
}

/** What integrators and portals request besides lists. */
function reportReads(dataset: Dataset): Read[] {
  const { names, shape, apiKey, embedTokens } = dataset;
  const sale = middleSale(dataset);
  const [from, to] = [shape.until - 30 * DAY_MS, shape.until].map((time) => new Date(time).toISOString());
  const month = `?from=${from}&to=${to}`;
  const get = (operationId: string, label: string, path: string, token = apiKey): Read => ({
    operationId,
    label,
    path,
    headers: authorization(token),
    isList: false,
    isFile: false,
  });
  const partners = [
    { size: 'largest', partner: LARGEST_PARTNER },
    { size: 'small', partner: SMALL_PARTNER },
  ] as const;
  return [
    ...partners.flatMap(({ size, partner }) => {
      const earnings = `/api/partners/${names.partnerAt(partner)}/earnings`;
      const link = `/api/links/${names.linkAt(partner)}`;
      return [
        get('getPartnerEarnings', `earnings (${size})`, earnings),
        get('getPartnerEarnings', `earnings, 30 days (${size})`, `${earnings}${month}`),
        get('getPartnerEarnings', `earnings by day (${size})`, `${earnings}${month}&interval=day`),
        get('getLink', `link (${size})`, link),
        get('getLink', `link, 30 days (${size})`, `${link}${month}`),
        get('getPortalConfig', `portal (${size})`, '/api/embed/referrals/portal-config', embedTokens[size]),
      ];
    }),
    get('listLinks', 'links, 30 days', `/api/links${month}`),
    get('getPartner', 'one partner', `/api/partners/${names.partnerAt(LARGEST_PARTNER)}`),
    get('getSale', 'one sale', `/api/sales/${names.sale(sale)}`),
    get('getCustomer', 'one customer', `/api/customers/${names.externalId(shape.customerOf(sale))}`),
    get('getPayout', 'one payout', `/api/payouts/${largestPayout(dataset)}`),
    get('getPayout', 'one queued payout', `/api/payouts/${names.payout(shape.paidPeriods, LARGEST_PARTNER)}`),
    get('getDelivery', 'one delivery', `/api/deliveries/${names.delivery(sale)}`),
  ];
}

/** A sale from a webhook in the middle of the history, of neither of the two partners. */
function middleSale({ shape }: Dataset): number {
  let sale = Math.floor(shape.sales / 2);
  while (!shape.isWebhook(sale) || partnerOfSale(shape, sale) === LARGEST_PARTNER) sale += 1;
  return sale;
}

/** The largest partner's last paid payout. */
function largestPayout({ names, shape }: Dataset): string {
  return names.payout(shape.paidPeriods - 1, LARGEST_PARTNER);
}

function authorization(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/**
 * The list's hundredth page of 20, or its last one if it has fewer; null when the list is a single page or a page takes
 * longer than `pageMs`.
 */
export async function hundredthPage(send: Client, read: Read, pageMs: number): Promise<Read | null> {
  let cursor: string | null = null;
  for (let passed = 0; passed < PAGES_BEFORE; ) {
    const pages = Math.min(LIMIT_MAX / PAGE_LIMIT, PAGES_BEFORE - passed);
    const path: string = read.path.replace(`limit=${PAGE_LIMIT}`, `limit=${pages * PAGE_LIMIT}`);
    const { status, body, ms } = await send({ ...read, path: cursor === null ? path : `${path}&cursor=${cursor}` });
    if (status !== 200 || ms > pageMs) return null;
    const next: string | null = JSON.parse(body).nextCursor;
    if (next === null) break;
    cursor = next;
    passed += pages;
  }
  return cursor === null ? null : { ...read, label: `${read.label}, page 100`, path: `${read.path}&cursor=${cursor}` };
}
