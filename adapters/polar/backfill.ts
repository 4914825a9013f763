import { createPolarCore } from '@polar-sh/sdk/2026-10';
import { z } from 'zod';
import { ServiceError } from '../../src/errors.ts';
import type { BackfillRequest, ReadBackfillPage } from '../contract/adapter.ts';
import { createApiCall, failureOf } from '../contract/api-call.ts';
import { apiError } from '../contract/backfill.ts';
import { CHANGED_WITHIN_MS, type ReadRecord, readOrder, readRefund } from './backfill-records.ts';

/** The most that Polar lists at once. */
const RECORDS_PER_PAGE = 100;

const PERMISSIONS = { orders: 'the scope orders:read', refunds: 'the scope refunds:read' };

type Kind = keyof typeof PERMISSIONS;

/** The kind that is listed, the number of the page, and the id and time of the last record of the previous page. */
const CURSOR = /^(orders|refunds) (\d{1,6})(?: ([\w-]+) (\d{1,14}))?$/;

const pageSchema = z.object({ items: z.array(z.unknown()), pagination: z.object({ max_page: z.int() }) });

/**
 * First the orders, the earliest first, so that later ones come at the end. Then the refunds, the latest first, because
 * Polar has no filter for their time: a new one moves the others to later pages, where they are read again.
 *
 * Source: https://polar.sh/docs/api-reference
 */
export const readPage: ReadBackfillPage = async (request) => {
  const position = positionOf(request.cursor);
  const { kind, page } = position;
  const { items, pagination } = await listRecords(position, request);
  const read = items.map((record) => (kind === 'orders' ? readOrder(record, request) : readRefund(record, request)));
  const deliveries = read.flatMap((record) => record.deliveries);
  if (page < pagination.max_page && !isPast(kind, read, request)) {
    const { id, createdAt } = requireNext(position, read);
    return { deliveries, cursor: `${kind} ${page + 1} ${id} ${createdAt}` };
  }
  return { deliveries, cursor: kind === 'orders' ? 'refunds 1' : null };
};

interface Position {
  kind: Kind;
  page: number;
  after: Pick<ReadRecord, 'id' | 'createdAt'> | undefined;
}

function positionOf(cursor: string | null): Position {
  const [, kind, page, id, createdAt] = CURSOR.exec(cursor ?? 'orders 1') ?? [];
  if (kind === undefined) throw new ServiceError('VALIDATION_ERROR', 'The cursor is not one of Polar');
  const after = id === undefined ? undefined : { id, createdAt: Number(createdAt) };
  return { kind: kind as Kind, page: Number(page), after };
}

function isPast(kind: Kind, read: readonly ReadRecord[], { since }: BackfillRequest): boolean {
  const last = read.at(-1);
  return kind === 'refunds' && last !== undefined && last.createdAt < since - CHANGED_WITHIN_MS;
}

/** The page's last record. Requires that the list moves on in its order: otherwise the reading would never end. */
function requireNext({ kind, page, after }: Position, read: readonly ReadRecord[]): ReadRecord {
  const last = read.at(-1);
  if (last !== undefined && (after === undefined || isLater(kind, last, after))) return last;
  throw new ServiceError(
    'VALIDATION_ERROR',
    `Polar says that there are more ${kind}, but its list does not move on at page ${page}`,
  );
}

/** A refund that is made meanwhile moves others to the next page, where they are listed again, but none to an earlier one. */
function isLater(kind: Kind, last: ReadRecord, after: Pick<ReadRecord, 'id' | 'createdAt'>): boolean {
  const laterMs = (last.createdAt - after.createdAt) * (kind === 'orders' ? 1 : -1);
  return last.id !== after.id && laterMs >= 0;
}

async function listRecords(position: Position, request: BackfillRequest): Promise<z.output<typeof pageSchema>> {
  const { kind } = position;
  const asked = { processor: 'Polar', what: kind, permission: PERMISSIONS[kind] };
  const call = createApiCall(request);
  const [url, init] = requestFor(position, request);
  // how it fails, the call tells
  const text = await call.send(url, init).then(
    (response) => response.text(),
    () => '',
  );
  const failure = failureOf(call, { ...asked, accessToken: request.accessToken }, () => statedIn(text));
  if (failure !== null) throw failure;
  const answer = parseExactly(text);
  if (answer === undefined) throw apiError({ ...asked, status: null, reason: 'the answer is not JSON' });
  const parsed = pageSchema.safeParse(answer);
  if (!parsed.success) throw apiError({ ...asked, status: 200, reason: 'the answer has an unexpected form' });
  return parsed.data;
}

/**
 * The package's own calls take no signal, follow redirects and round large numbers. Therefore only what they are made of is
 * used.
 */
function requestFor({ kind, page }: Position, { accessToken, settings, since, until }: BackfillRequest) {
  const { apiUrl } = settings as { apiUrl?: string | null };
  const server = apiUrl ? { baseUrl: apiUrl.replace(/\/+$/, '') } : {};
  const created = {
    created_after: new Date(since - CHANGED_WITHIN_MS).toISOString(),
    created_before: new Date(until).toISOString(),
  };
  const query = kind === 'orders' ? { ...created, sorting: ['created_at'] } : { sorting: ['-created_at'] };
  const polar = createPolarCore({ accessToken, ...server });
  return polar.buildRequest('GET', `/v1/${kind}/`, {}, { ...query, page, limit: RECORDS_PER_PAGE });
}

/** Why Polar refuses a request, as far as it says so. */
function statedIn(text: string): string {
  const answer = (parseExactly(text) ?? {}) as Record<string, unknown>;
  const stated = answer.detail ?? answer.error_description ?? answer.error ?? 'it gives no reason';
  return typeof stated === 'string' ? stated : JSON.stringify(stated);
}

// TypeScript does not know these yet
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { source: string }) => unknown,
) => unknown;
const { rawJSON } = JSON as unknown as { rawJSON(source: string): unknown };

/** Parses JSON so that `JSON.stringify` writes every number as it was. Undefined for what is not JSON. */
function parseExactly(text: string): unknown {
  try {
    return (JSON.parse as ParseWithSource)(text, (_key, value, { source }) =>
      typeof value === 'number' && String(value) !== source ? rawJSON(source) : value,
    );
  } catch {
    return undefined;
  }
}
