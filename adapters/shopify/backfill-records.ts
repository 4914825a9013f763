import { apiError } from '../contract/backfill.ts';
import { parseExactJson } from '../contract/exact-json.ts';
import { type Answer, type ShopList, unexpected } from './backfill-client.ts';
import { guide } from './guide.ts';
import { elementsOf, startOfMember } from './json-slices.ts';

export interface ListedRecord {
  /** As the REST Admin API wrote it, with every digit. */
  text: string;
  /** The same, parsed as a webhook's body is. */
  payload: Record<string, unknown>;
}

type About = Pick<ShopList, 'what' | 'permission'>;

/**
 * The records in an answer, and the `page_info` of the next page; null on the last one.
 *
 * @param member that contains the list
 * @throws ServiceError as `ReadBackfillPage`
 */
export function recordsIn(
  { body, link }: Answer,
  member: string,
  about: About,
): { records: ListedRecord[]; next: string | null } {
  const answer = parseExactJson(body);
  if (answer === null) {
    const reason = 'the answer is not JSON, or was cut off';
    throw apiError({ processor: guide.name, ...about, status: null, reason });
  }
  const { [member]: payloads } = answer;
  const json = body.toString('utf8');
  const start = startOfMember(json, member);
  if (!Array.isArray(payloads) || !payloads.every(isObject) || start === undefined) {
    throw unexpected(about, `it contains no list of ${about.what}`);
  }
  const records = elementsOf(json, start).map((text, index) => ({ text, payload: payloads[index] ?? {} }));
  return { records, next: nextPageOf(link, about) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The rest of the link is not read, because the access token must stay at this address.
 * https://shopify.dev/docs/api/admin-rest/usage/pagination
 */
function nextPageOf(link: string | null, about: About): string | null {
  if (link === null || !/rel="?\{?next/.test(link)) return null;
  const address = /<([^<>]*)>\s*;\s*rel="?\{?next/.exec(link)?.[1] ?? '';
  const page = URL.parse(address)?.searchParams.get('page_info');
  if (!page) throw unexpected(about, 'its link to the next page names no page');
  return page;
}
