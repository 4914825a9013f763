import type { IdPrefix } from '../../core/ids.ts';
import { notFound, ServiceError } from '../../errors.ts';
import type { AccountApi, AnswerOf, OperationId } from './account-api.ts';

const ID = /^(dlv|ent|evp|evt|exp|imp|key|lnk|opr|pay|pfl|pmt|prg|ptr|sal|whe)_[0-9a-f]{32}$/;

/**
 * True for one of our ids that a command takes, such as `ptr_0198c3…`; it belongs to at most one account of a database.
 * Only the whole form counts: several accounts may call something of theirs `usr_7`, `inv_1042` or `ptr_1`.
 */
export function isId(text: string, prefix?: IdPrefix): boolean {
  const [, found] = ID.exec(text) ?? [];
  return found !== undefined && (prefix === undefined || found === prefix);
}

type ListId = {
  [Id in OperationId]: AnswerOf<Id> extends { data: unknown[]; nextCursor: unknown } ? Id : never;
}[OperationId];
export type ItemOf<Id extends OperationId> = AnswerOf<Id> extends { data: (infer Item)[] } ? Item : never;

/** The pages of a list, one after the other. */
export async function* pagesOf<Id extends ListId>(
  api: AccountApi,
  operationId: Id,
  query: Readonly<Record<string, string | undefined>>,
): AsyncGenerator<{ data: ItemOf<Id>[]; nextCursor: string | null }> {
  for (let { cursor } = query; ; ) {
    const page = (await api.call(operationId, { query: { ...query, cursor } })) as {
      data: ItemOf<Id>[];
      nextCursor: string | null;
    };
    yield page;
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}

async function allOf<Id extends ListId>(
  api: AccountApi,
  operationId: Id,
  query: Readonly<Record<string, string>> = {},
): Promise<ItemOf<Id>[]> {
  const found: ItemOf<Id>[] = [];
  for await (const { data } of pagesOf(api, operationId, { limit: '100', ...query })) found.push(...data);
  return found;
}

/** A partner by id, e-mail address or the caller's own id of the partner, which may be an address, too. */
export async function partnerIdOf(api: AccountApi, text: string): Promise<string> {
  if (isId(text, 'ptr')) return text;
  const named = text.trim();
  const found = new Map<string, string>();
  const filters = named.includes('@') ? [{ email: named.toLowerCase() }, { tenantId: named }] : [{ tenantId: named }];
  for (const filter of filters) {
    const partners = await allOf(api, 'listPartners', { archived: 'all', ...filter });
    for (const { id, name, programId } of partners) found.set(id, `${name}, ${programId}`);
  }
  return onlyOne(
    'partner',
    named,
    [...found].map(([id, name]) => ({ id, name })),
  );
}

/** A program by id or name. */
export async function programIdOf(api: AccountApi, text: string): Promise<string> {
  if (isId(text, 'prg')) return text;
  const programs = await allOf(api, 'listPrograms', { archived: 'all' });
  return onlyOne(
    'program',
    text,
    itemsCalled(text, programs, ({ name }) => [name]),
  );
}

/** A link by id, key, `domain/key` or the whole short link. */
export async function linkIdOf(api: AccountApi, text: string): Promise<string> {
  if (isId(text, 'lnk')) return text;
  // a link leads to the same place with a slash at its end
  const named = text.trim().replace(/\/+$/, '');
  const search = named.split('/').at(-1) ?? named;
  const links = await allOf(api, 'listLinks', { archived: 'all', search });
  // the case of a host does not matter, and a domain is stored in lower case
  const address = named.replace(/^(?:[a-z]+:\/\/)?[^/]+(?=\/)/i, (host) => host.toLowerCase());
  const found = itemsCalled(address, links, ({ key, domain, shortLink }) => [key, `${domain}/${key}`, shortLink]);
  return onlyOne(
    'link',
    text,
    found.map(({ id, shortLink }) => ({ id, name: shortLink })),
  );
}

/** A sale by id or invoice. */
export async function saleIdOf(api: AccountApi, text: string): Promise<string> {
  if (isId(text, 'sal')) return text;
  const sales = await allOf(api, 'listSales', { invoiceId: text });
  return onlyOne(
    'sale',
    text,
    sales.map(({ id, invoiceId }) => ({ id, name: invoiceId ?? '' })),
  );
}

/** An endpoint by id, or by its processor. */
export async function endpointIdOf(api: AccountApi, text: string): Promise<string> {
  if (isId(text, 'whe')) return text;
  const endpoints = await allOf(api, 'listWebhookEndpoints');
  const found = endpoints.filter(({ processor }) => processor === text);
  return onlyOne(
    'webhook endpoint',
    text,
    found.map(({ id, url }) => ({ id, name: url })),
  );
}

/** An event endpoint by id or URL, whose host may be in any case. */
export async function eventEndpointIdOf(api: AccountApi, text: string): Promise<string> {
  if (isId(text, 'evp')) return text;
  const endpoints = await allOf(api, 'listEventEndpoints');
  return onlyOne(
    'event endpoint',
    text,
    endpoints.filter(({ url }) => addressOf(url) === addressOf(text)).map(({ id, url }) => ({ id, name: url })),
  );
}

/** A URL as it is requested, with its host in lower case; any other text as it is. */
function addressOf(text: string): string {
  return URL.parse(text)?.href ?? text;
}

/** @throws ServiceError `NOT_FOUND`; `CONFLICT` with the ids to choose from */
function onlyOne(what: string, text: string, found: readonly { id: string; name: string }[]): string {
  const [first] = found;
  if (first === undefined) throw notFound(what, text);
  if (found.length === 1) return first.id;
  const choices = found.map(({ id, name }) => `${id} (${name})`).join(', ');
  throw new ServiceError('CONFLICT', `${text} matches several; give the id of one: ${choices}`);
}

/** Those that are called exactly so, because keys are case-sensitive; if there are none, case does not matter. */
function itemsCalled<Item>(text: string, items: readonly Item[], namesOf: (item: Item) => string[]): Item[] {
  const given = text.trim();
  const exact = items.filter((item) => namesOf(item).includes(given));
  if (exact.length > 0) return exact;
  const folded = given.toLowerCase();
  return items.filter((item) => namesOf(item).some((name) => name.toLowerCase() === folded));
}
