import type { CustomerHints, CustomerIdentified, Hint } from '../../src/core/facts.ts';
import { identifiedFact } from '../contract/identified.ts';
import {
  CLICK_ID_FIELD,
  distinct,
  EXTERNAL_ID_FIELD,
  NO_HINTS,
  readEmail,
  readField,
  readMetadata,
  readText,
} from '../contract/readers.ts';
import { isAnonymous } from './anonymous-ids.ts';
import type { Event } from './payload.ts';

/** Each costs a lookup. */
const NAMED_MAX = 20;
/** Limited because each is stored and may have parked payments. */
const ANONYMOUS_MAX = 100;

/**
 * Reads the customer from the metadata that Web Billing's SDK adds to a purchase, then from the subscriber's attributes,
 * then from every app user id that the app itself chose.
 *
 * Source: https://www.revenuecat.com/docs/web/web-billing/custom-metadata
 */
export function customerOf(event: Event): CustomerHints {
  const fields = {
    [EXTERNAL_ID_FIELD]: attribute(event, EXTERNAL_ID_FIELD),
    [CLICK_ID_FIELD]: attribute(event, CLICK_ID_FIELD),
  };
  const { externalIds, clickIds } = readMetadata([
    { place: 'metadata', metadata: event.metadata },
    { place: 'subscriber_attributes', metadata: fields },
  ]);
  for (const hint of namedUsers(event)) {
    if (!externalIds.some(({ value }) => value === hint.value)) externalIds.push(hint);
  }
  return {
    externalIds,
    clickIds,
    // the person's first RevenueCat id; app_user_id changes when the app logs the person in
    processorCustomerId: readText(event.original_app_user_id) ?? readText(event.app_user_id),
    subscriptionId: event.type === 'NON_RENEWING_PURCHASE' ? null : readText(event.original_transaction_id),
    email: readEmail(attribute(event, '$email')),
    name: readText(attribute(event, '$displayName')),
  };
}

/**
 * The event's subscriber, if the event links one of RevenueCat's ids to anything of ours or to an offer code. Attributes may
 * reach RevenueCat after the purchase, so every event that names a subscriber is read.
 */
export function identifiedBy(event: Event): CustomerIdentified[] {
  const customer = customerOf(event);
  const codes = discountCodesOf(event);
  const isKnown = customer.processorCustomerId !== null || customer.subscriptionId !== null;
  const says = isNamed(customer) || codes.length > 0;
  const subscriber = identifiedFact(customer, Number(event.event_timestamp_ms), codes);
  return [...(isKnown && says ? [subscriber] : []), ...identifiedAliases(event), ...newOwners(event)];
}

/**
 * The subscriber's other anonymous ids. RevenueCat merges an anonymous customer who logs in into that user, whose later
 * events name what the anonymous id bought by neither `original_app_user_id` nor subscription.
 *
 * Source: https://www.revenuecat.com/docs/customers/identifying-customers
 */
export function identifiedAliases(event: Event): CustomerIdentified[] {
  const customer = customerOf(event);
  if (!isNamed(customer)) return [];
  const ids = distinct(appUserIds(event).map(({ value }) => value));
  const others = ids.filter((id) => isAnonymous(id) && id !== customer.processorCustomerId);
  const occurredAt = Number(event.event_timestamp_ms);
  return others.slice(0, ANONYMOUS_MAX).map((processorCustomerId) => {
    return {
      kind: 'customer.identified',
      customer: { ...customer, processorCustomerId, subscriptionId: null },
      occurredAt,
    };
  });
}

function isNamed({ externalIds, clickIds, email }: CustomerHints): boolean {
  return externalIds.length > 0 || clickIds.length > 0 || email !== null;
}

/** The lists of ids that had purchases before an event, and of those that got them. */
const MOVES: ReadonlyMap<string, [from: keyof Event, to: keyof Event]> = new Map([
  ['TRANSFER', ['transferred_from', 'transferred_to']],
  ['PURCHASE_REDEEMED', ['redeemed_from', 'redeemed_by']],
]);

/**
 * The user of the app whom a transfer, or the redemption of a web purchase, shows to be behind anonymous ids: the one who gets
 * their purchases. Empty when another user of the app had the purchases before, because the anonymous ids are then that
 * user's, and when not exactly one gets them.
 */
function newOwners(event: Event): CustomerIdentified[] {
  const lists = MOVES.get(event.type);
  if (lists === undefined) return [];
  const [fromList, toList] = lists;
  const from = readIds(event[fromList]);
  const users = readIds(event[toList]).flatMap((value, index) =>
    isAnonymous(value) ? [] : [{ value, place: `${toList}[${index}]` }],
  );
  if (users.length !== 1 || !from.every((id) => isAnonymous(id) || id === users[0]?.value)) return [];
  const occurredAt = Number(event.event_timestamp_ms);
  const anonymous = from.filter(isAnonymous).slice(0, ANONYMOUS_MAX);
  return anonymous.map((processorCustomerId) => {
    return {
      kind: 'customer.identified',
      customer: { ...NO_HINTS, externalIds: users, processorCustomerId },
      occurredAt,
    };
  });
}

/** The ids in a list; none when one of them cannot be read. */
function readIds(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  const ids = list.map(readText).filter((id) => id !== null);
  return ids.length === list.length ? ids : [];
}

/** Reads the store's offer code, the only code in an event that a partner may have given the customer. */
export function discountCodesOf(event: Event): string[] {
  return distinct([readText(event.offer_code)]);
}

/** The app user ids that the app itself chose. */
function namedUsers(event: Event): Hint[] {
  return appUserIds(event)
    .filter(({ value }) => !isAnonymous(value))
    .slice(0, NAMED_MAX);
}

/** Every app user id of the subscriber, with repetitions. */
function appUserIds(event: Event): Hint[] {
  const aliases: unknown[] = Array.isArray(event.aliases) ? event.aliases : [];
  const places: [string, unknown][] = [
    ['app_user_id', event.app_user_id],
    ['original_app_user_id', event.original_app_user_id],
    ...aliases.map((alias, index): [string, unknown] => [`aliases[${index}]`, alias]),
  ];
  return places.flatMap(([place, id]) => {
    const value = readText(id);
    return value === null ? [] : [{ value, place }];
  });
}

/** `subscriber_attributes.<name>.value` */
function attribute(event: Event, name: string): string | null {
  const { subscriber_attributes: attributes } = event;
  if (typeof attributes !== 'object' || attributes === null || !Object.hasOwn(attributes, name)) return null;
  return readField((attributes as Record<string, unknown>)[name], 'value');
}
