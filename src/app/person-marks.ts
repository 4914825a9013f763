import { hash } from 'node:crypto';
import type { AccountId } from '../core/ids.ts';

/**
 * What a mark stands for: the caller's id of a person, an e-mail address, a processor's id of a person, a partner, a
 * webhook endpoint, or a sale or unattributed payment, which may be all that names a person in its events.
 */
export type MarkKind = 'external' | 'email' | 'processor' | 'partner' | 'endpoint' | 'payment';

/** A keyed hash in `erasure_marks`. */
export type Mark = string & { readonly brand: 'Mark' };

/**
 * The mark of a value: its SHA-256, keyed by the account's id, as 43 characters of base64url. The same value has a
 * different mark in another account. Hashed in one call, because every lead and sale needs marks, and a hash object
 * leaves memory behind.
 */
export function markOf(accountId: AccountId, kind: MarkKind, value: string): Mark {
  const named = kind === 'email' ? value.trim().toLowerCase() : value;
  return hash('sha256', `${accountId}\n${kind}\n${named}`, 'base64url') as Mark;
}

/** The mark of a processor's id of a person. */
export function markOfProcessorId(
  accountId: AccountId,
  { processor, kind, value }: { processor: string; kind: string; value: string },
): Mark {
  return markOf(accountId, 'processor', `${processor} ${kind} ${value}`);
}

/** Members of processors' payloads that hold the caller's id of a person. */
const NAMING_MEMBER = /external_?id|app_user_id|aliases/i;
/** A shorter id may equal an amount or a quantity, so it counts only in a member that names a person. */
const DISTINCTIVE_LENGTH = 9;

/**
 * Whether a webhook's body mentions a person, by the caller's id, by an e-mail address as a whole value, or by our id of
 * their payment. A body that is not JSON mentions nobody.
 */
export function mentionsAny(accountId: AccountId, body: Uint8Array, marks: ReadonlySet<string>): boolean {
  const isMarked = (kind: MarkKind, value: string) => marks.has(markOf(accountId, kind, value));
  const waiting: { member: string; value: unknown }[] = [{ member: '', value: parsed(body) }];
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    const { member, value } = entry;
    if (typeof value === 'string') {
      if (value.includes('@') && isMarked('email', value)) return true;
      if (value.startsWith('ptr_') && isMarked('partner', value)) return true;
      if (/^(?:sal|pmt)_/.test(value) && isMarked('payment', value)) return true;
      const isNamed = value.length >= DISTINCTIVE_LENGTH || NAMING_MEMBER.test(member);
      if (isNamed && isMarked('external', value)) return true;
    } else if (typeof value === 'number' && NAMING_MEMBER.test(member)) {
      if (isMarked('external', String(value))) return true;
    } else if (Array.isArray(value)) {
      for (const item of value) waiting.push({ member, value: item });
    } else if (typeof value === 'object' && value !== null) {
      // Shopify writes attributes as {name, value}
      const { name } = value as { name?: unknown };
      for (const [key, item] of Object.entries(value)) {
        waiting.push({ member: key === 'value' && typeof name === 'string' ? name : key, value: item });
      }
    }
  }
  return false;
}

/**
 * A resource without the data about marked persons: their addresses, everything in a member `customer` besides ids,
 * metadata, and the names of partners. The text itself when it mentions none of them.
 */
export function withoutMentions(accountId: AccountId, json: string, marks: ReadonlySet<string>): string {
  if (!mentionsAny(accountId, Buffer.from(json), marks)) return json;
  return JSON.stringify(JSON.parse(json), (member, value: unknown) => {
    if (member === 'metadata') return null;
    if (member === 'customer' && typeof value === 'object' && value !== null) return onlyIds(value);
    if (typeof value === 'object' && value !== null) return withoutPartnerName(accountId, value, marks);
    const isAddress = typeof value === 'string' && value.includes('@');
    return isAddress && marks.has(markOf(accountId, 'email', value)) ? null : value;
  });
}

function withoutPartnerName(accountId: AccountId, value: object, marks: ReadonlySet<string>): object {
  const { id, partnerId } = value as { id?: unknown; partnerId?: unknown };
  const isErased = (one: unknown) => typeof one === 'string' && marks.has(markOf(accountId, 'partner', one));
  if (isErased(id)) return { ...value, name: null, email: null };
  return isErased(partnerId) && 'partnerName' in value ? { ...value, partnerName: null } : value;
}

function onlyIds(customer: object): object {
  const entries = Object.entries(customer).map(([name, value]) => [name, /id(s)?$/i.test(name) ? value : null]);
  return Object.fromEntries(entries);
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
  } catch {
    return null;
  }
}
