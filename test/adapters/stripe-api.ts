import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LocalServer, serveNode } from '../helpers/serve-fetch.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every shape that Stripe's API has
type StripeRecord = Record<string, any>;

interface SeenRequest {
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
}

/** A local server that answers Stripe's lists as Stripe describes them (https://docs.stripe.com/api/pagination). */
export interface StripeApi extends LocalServer {
  requests: SeenRequest[];
  /** Adds records to a list: `refunds`. */
  add(list: string, ...records: StripeRecord[]): void;
  /** Adds objects that requests may expand. */
  addExpandable(...objects: StripeRecord[]): void;
  /** Answers the next request in another way. */
  answerNext(answer: (response: ServerResponse) => void): void;
}

const JSON_HEADERS = { 'content-type': 'application/json' };

/** An answer with this status, body and headers. */
export const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { ...JSON_HEADERS, ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** @param basePath before `/v1` */
export async function openStripeApi(basePath = ''): Promise<StripeApi> {
  const lists = new Map<string, StripeRecord[]>();
  const expandable = new Map<string, StripeRecord>();
  const requests: SeenRequest[] = [];
  const others: ((response: ServerResponse) => void)[] = [];
  const server = await serveNode((request, response) => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://127.0.0.1');
    requests.push({ path, query, headers: request.headers });
    const other = others.shift();
    if (other !== undefined) return other(response);
    const prefix = `${basePath}/v1/`;
    if (!path.startsWith(prefix)) return answer(404, { error: { message: 'Unrecognized request URL' } })(response);
    answer(200, pageOf(lists.get(path.slice(prefix.length)) ?? [], query, expandable))(response);
  });
  return {
    ...server,
    requests,
    add: (list, ...records) => void lists.set(list, [...(lists.get(list) ?? []), ...records]),
    addExpandable: (...objects) => {
      for (const object of objects) expandable.set(object.id, object);
    },
    answerNext: (other) => void others.push(other),
  };
}

function pageOf(records: StripeRecord[], query: URLSearchParams, expandable: Map<string, StripeRecord>) {
  const limit = Number(query.get('limit') ?? 10);
  const listed = records.filter((record) => isAskedFor(record, query)).toSorted((a, b) => b.created - a.created);
  const after = listed.findIndex(({ id }) => id === query.get('starting_after'));
  const rest = listed.slice(after + 1);
  const data = rest.slice(0, limit).map((record) => {
    const copy = structuredClone(record);
    for (const path of query.getAll('expand[]')) expand(copy, path.split('.').slice(1), expandable);
    return copy;
  });
  return { object: 'list', data, has_more: rest.length > limit, url: '/v1/…' };
}

function isAskedFor(record: StripeRecord, query: URLSearchParams): boolean {
  const { created } = record;
  const bound = (name: string) => Number(query.get(`created[${name}]`) ?? Number.NaN);
  if (created < bound('gte') || created > bound('lte') || created >= bound('lt')) return false;
  const types = query.getAll('types[]');
  if (types.length > 20) throw new Error('Stripe takes up to 20 types');
  if (types.length > 0 && !types.includes(record.type)) return false;
  return query.get('status') === null || record.status === query.get('status');
}

function expand(object: StripeRecord, [name = '', ...others]: string[], expandable: Map<string, StripeRecord>): void {
  const ids = [object[name]].flat();
  const objects = ids.map((id) => (typeof id === 'string' ? structuredClone(expandable.get(id)) : id));
  if (objects.includes(undefined)) return;
  object[name] = Array.isArray(object[name]) ? objects : objects[0];
  for (const one of objects) if (one !== null && others.length > 0) expand(one, others, expandable);
}
