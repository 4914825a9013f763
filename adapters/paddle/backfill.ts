import { createRequire } from 'node:module';
import type * as Package from '@paddle/paddle-node-sdk';
import { z } from 'zod';
import { DAY_MS } from '../../src/core/time.ts';
import { ServiceError } from '../../src/errors.ts';
import type { BackfillRequest, ReadBackfillPage } from '../contract/adapter.ts';
import { type ApiCall, type Asked, createApiCall, failureOf } from '../contract/api-call.ts';
import { apiError } from '../contract/backfill.ts';
import { type ReadRecord, readAdjustment, readTransaction } from './backfill-records.ts';

/** The package's CommonJS form loads in two thirds of the time of the other, and takes a third of its memory. */
const { ApiError, LogLevel, Paddle }: typeof Package = createRequire(import.meta.url)('@paddle/paddle-node-sdk');

/** Paddle returns fewer when its maximum is lower. */
const TRANSACTIONS_PER_PAGE = 30;
const ADJUSTMENTS_PER_PAGE = 200;

/**
 * How long before `since` an adjustment may have been made that has changed since then: Paddle has no filter for that, and
 * decides some chargebacks months later.
 */
const DECIDED_WITHIN_MS = 180 * DAY_MS;

const API_URLS = { live: 'https://api.paddle.com', sandbox: 'https://sandbox-api.paddle.com' };

const PERMISSIONS = {
  transactions: 'the permissions transaction.read and customer.read',
  adjustments: 'the permission adjustment.read',
};

type Kind = keyof typeof PERMISSIONS;

/** The kind that is listed, and the id of the last record of the previous page. */
const CURSOR = /^(transactions|adjustments)(?: (\w+))?$/;

const pageSchema = z.object({
  data: z.array(z.unknown()),
  meta: z.object({ pagination: z.object({ has_more: z.boolean() }) }),
});

/**
 * First the completed transactions that changed since then, the earliest id first, so that later ones come at the end.
 * Then the adjustments, the latest id first, because Paddle orders them only by id. Ids begin with their time.
 *
 * Source: https://developer.paddle.com/api-reference/about/pagination
 */
export const readPage: ReadBackfillPage = async (request) => {
  const { kind, after } = positionOf(request.cursor);
  const { records, hasMore } = await listRecords(kind, after, request);
  const read = records.map((record) =>
    kind === 'transactions' ? readTransaction(record, request) : readAdjustment(record, request),
  );
  const deliveries = read.flatMap((record) => record.deliveries);
  if (hasMore && !isPast(kind, read, request)) {
    return { deliveries, cursor: `${kind} ${requireNext(kind, after, read)}` };
  }
  return { deliveries, cursor: kind === 'transactions' ? 'adjustments' : null };
};

interface Position {
  kind: Kind;
  after: string | undefined;
}

function positionOf(cursor: string | null): Position {
  const [, kind, after] = CURSOR.exec(cursor ?? 'transactions') ?? [];
  if (kind === undefined) throw new ServiceError('VALIDATION_ERROR', 'The cursor is not one of Paddle');
  return { kind: kind as Kind, after };
}

function isPast(kind: Kind, read: readonly ReadRecord[], { since }: BackfillRequest): boolean {
  const last = read.at(-1);
  return kind === 'adjustments' && last !== undefined && last.createdAt < since - DECIDED_WITHIN_MS;
}

/** The id after which the next page begins. Requires that it moves on: otherwise the reading would never end. */
function requireNext(kind: Kind, after: string | undefined, read: readonly ReadRecord[]): string {
  const last = read.at(-1)?.id;
  const movesOn =
    last !== undefined && (after === undefined || (kind === 'transactions' ? last > after : last < after));
  if (movesOn) return last;
  throw new ServiceError(
    'VALIDATION_ERROR',
    `Paddle says that there are more ${kind}, but its list does not move on after ${after ?? 'its first page'}`,
  );
}

interface Listed {
  records: unknown[];
  hasMore: boolean;
}

async function listRecords(kind: Kind, after: string | undefined, request: BackfillRequest): Promise<Listed> {
  const { accessToken, since } = request;
  const call = createApiCall(request);
  const paddle = clientOf(request, call);
  const following = after === undefined ? {} : { after };
  const list =
    kind === 'transactions'
      ? paddle.transactions.list({
          ...following,
          status: ['completed'],
          'updatedAt[GTE]': new Date(since).toISOString(),
          orderBy: 'id[ASC]',
          perPage: TRANSACTIONS_PER_PAGE,
          include: ['customer'],
        })
      : paddle.adjustments.list({ ...following, orderBy: 'id[DESC]', perPage: ADJUSTMENTS_PER_PAGE });
  const asked = { processor: 'Paddle', what: kind, permission: PERMISSIONS[kind], accessToken };
  const records = await asListed(list)
    .next()
    .catch((error: unknown) => {
      throw errorOf(error, asked, call);
    });
  const failure = failureOf(call, asked, () => 'it gives no reason');
  if (failure !== null) throw failure;
  return { records, hasMore: list.hasMore };
}

function clientOf({ accessToken, settings }: BackfillRequest, { send }: ApiCall): Package.Paddle {
  const { apiUrl } = settings as { apiUrl?: string | null };
  const ofKey = accessToken.startsWith('pdl_sdbx_') ? API_URLS.sandbox : API_URLS.live;
  const url = (apiUrl ?? ofKey).replace(/\/+$/, '');
  // the package takes any base address in place of the name of an environment
  const paddle = new Paddle(accessToken, { environment: url as Package.Environment, logLevel: LogLevel.none });
  const { client } = paddle as unknown as { client: Client };
  // it would send by the global function, without a limit, and follow redirects
  client.get = async (path) => {
    const response = await send(url + path, { headers: client.getHeaders() });
    return Object(await response.json());
  };
  return paddle;
}

/** What the package sends its requests by. */
interface Client {
  getHeaders(): Record<string, string>;
  get(path: string): Promise<unknown>;
}

interface List {
  next(): Promise<unknown[]>;
}

/**
 * The package turns records into objects of its own, which throw for what it does not know, lack other members and have
 * other names; and it takes a page without `has_more` for the last one. This list returns records as Paddle sent them.
 */
function asListed(list: List): List {
  const { handlePaginatedResponse: requireNoError } = list as unknown as Record<string, (answer: unknown) => unknown>;
  return Object.assign(list, {
    handlePaginatedResponse: (answer: unknown) => pageSchema.parse(requireNoError?.call(list, answer)),
    fromJson: (record: unknown) => record,
  });
}

function errorOf(error: unknown, { accessToken, ...about }: Asked, call: ApiCall): ServiceError {
  const failure = failureOf(call, { ...about, accessToken }, () =>
    error instanceof ApiError ? `${error.code}: ${error.detail}` : 'it gives no reason',
  );
  if (failure !== null) return failure;
  const reason = error instanceof SyntaxError ? 'the answer is not JSON' : 'the answer has an unexpected form';
  return apiError({ ...about, status: null, reason });
}
