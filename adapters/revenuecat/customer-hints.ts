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
import type { Event } from './payload.ts';

const ANONYMOUS = '$RCAnonymousID:';
const ALIASES_READ_MAX = 20;
const TRANSFERRED_MAX = 20;

/** Reads the customer from the subscriber's attributes, then from every app user id that the app itself chose. */
export function customerOf(event: Event): CustomerHints {
  const fields = {
    [EXTERNAL_ID_FIELD]: attribute(event, EXTERNAL_ID_FIELD),
    [CLICK_ID_FIELD]: attribute(event, CLICK_ID_FIELD),
  };
  const { externalIds, clickIds } = readMetadata([{ place: 'subscriber_attributes', metadata: fields }]);
  for (const hint of appUserIds(event)) {
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
  const isNamed = customer.externalIds.length > 0 || customer.clickIds.length > 0 || customer.email !== null;
  const known = customer.processorCustomerId !== null || customer.subscriptionId !== null;
  if (!known || (!isNamed && codes.length === 0)) return [];
  return [identifiedFact(customer, Number(event.event_timestamp_ms), codes)];
}

/**
 * The users of the app whom a transfer shows to be behind anonymous ids: the one who gets their purchases. Empty when a user
 * of the app had the purchases before, because the anonymous ids are then that user's, and when not exactly one gets them.
 */
export function transferredUsers(event: Event): CustomerIdentified[] {
  const from = readIds(event.transferred_from);
  const users = readIds(event.transferred_to).flatMap((value, index) =>
    value.startsWith(ANONYMOUS) ? [] : [{ value, place: `transferred_to[${index}]` }],
  );
  if (users.length !== 1 || !from.every((id) => id.startsWith(ANONYMOUS))) return [];
  const occurredAt = Number(event.event_timestamp_ms);
  return from.map((processorCustomerId) => {
    return {
      kind: 'customer.identified',
      customer: { ...NO_HINTS, externalIds: users, processorCustomerId },
      occurredAt,
    };
  });
}

/** The ids in a list; none when one of them cannot be read, or when there are too many. */
function readIds(list: unknown): string[] {
  if (!Array.isArray(list) || list.length > TRANSFERRED_MAX) return [];
  const ids = list.map(readText).filter((id) => id !== null);
  return ids.length === list.length ? ids : [];
}

/** Reads the store's offer code, the only code in an event that a partner may have given the customer. */
export function discountCodesOf(event: Event): string[] {
  return distinct([readText(event.offer_code)]);
}

function appUserIds(event: Event): Hint[] {
  const aliases: unknown[] = Array.isArray(event.aliases) ? event.aliases.slice(0, ALIASES_READ_MAX) : [];
  const places: [string, unknown][] = [
    ['app_user_id', event.app_user_id],
    ['original_app_user_id', event.original_app_user_id],
    ...aliases.map((alias, index): [string, unknown] => [`aliases[${index}]`, alias]),
  ];
  return places.flatMap(([place, id]) => {
    const value = readText(id);
    return value === null || value.startsWith(ANONYMOUS) ? [] : [{ value, place }];
  });
}

/** `subscriber_attributes.<name>.value` */
function attribute(event: Event, name: string): string | null {
  const { subscriber_attributes: attributes } = event;
  if (typeof attributes !== 'object' || attributes === null || !Object.hasOwn(attributes, name)) return null;
  return readField((attributes as Record<string, unknown>)[name], 'value');
}
