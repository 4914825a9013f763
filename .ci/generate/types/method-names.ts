import type { PlacedOperation } from '../openapi.ts';

/** Where the client offers an operation: `client.partners.create`. */
export interface MethodName {
  group: string;
  method: string;
}

/** Operations whose path does not say enough. */
const NAMES: Readonly<Record<string, MethodName>> = {
  followLink: { group: 'links', method: 'follow' },
  explainDelivery: { group: 'deliveries', method: 'explain' },
  reportRefundOfInvoice: { group: 'refunds', method: 'report' },
};
/** Groups whose names differ from their paths. */
const GROUPS: Readonly<Record<string, string>> = { embed: 'portal' };
/** The service itself: its health, its metrics, its documentation. */
const SERVICE = 'service';

/**
 * The name of an operation's method, from its path and its id: `POST /api/partners`, `createPartner` → `partners.create`;
 * `GET /api/partners/{id}/earnings`, `getPartnerEarnings` → `partners.getEarnings`.
 */
export function methodNameOf({ operationId, path }: Pick<PlacedOperation, 'operationId' | 'path'>): MethodName {
  const known = NAMES[operationId];
  if (known !== undefined) return known;
  const group = groupOf(path);
  return { group, method: withoutGroup(operationId, group) };
}

function groupOf(path: string): string {
  const [room = '', subject = ''] = path.split('/').slice(1);
  const name = room === 'api' ? subject : room;
  if (room !== 'api' && !/^(?:webhooks|compat)$/.test(room)) return SERVICE;
  return GROUPS[name] ?? camelCase(name.split(/[^A-Za-z0-9]+/));
}

/** `listParkedPayments` in `parkedPayments` → `list`. The whole id if nothing else would be left. */
function withoutGroup(operationId: string, group: string): string {
  const words = wordsOf(operationId);
  const subject = wordsOf(group).map(singular);
  const start = words.findIndex((_, index) =>
    subject.every((word, offset) => singular(words[index + offset] ?? '') === word),
  );
  const left = start < 0 ? words : words.toSpliced(start, subject.length);
  return left.length === 0 ? operationId : camelCase(left);
}

function wordsOf(name: string): string[] {
  return name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
}

function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/s$/, '');
}

function camelCase([first = '', ...others]: readonly string[]): string {
  return first + others.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
}
