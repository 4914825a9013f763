import type { CustomerHints, CustomerIdentified } from '../../src/core/facts.ts';
import { identifiedFact } from '../contract/identified.ts';
import {
  CLICK_ID_FIELD,
  distinct,
  type MetadataPlace,
  readEmail,
  readMetadata,
  readText,
} from '../contract/readers.ts';
import { globalIdOf, type Order } from './payload.ts';

const LINES_READ_MAX = 100;

/** Reads customer hints from the cart attributes first, then line item properties, then the landing page. */
export function customerOf(order: Order): CustomerHints {
  const { customer } = order;
  const places: MetadataPlace[] = [
    { place: 'note_attributes', metadata: namedValues(order.note_attributes) },
    ...order.line_items.slice(0, LINES_READ_MAX).map(({ properties }, index) => ({
      place: `line_items[${index}].properties`,
      metadata: Array.isArray(properties) ? namedValues(properties) : properties,
    })),
    { place: 'landing_site', metadata: { [CLICK_ID_FIELD]: clickIdIn(order.landing_site) } },
  ];
  return {
    ...readMetadata(places),
    processorCustomerId: customer ? globalIdOf('Customer', customer.id, customer.admin_graphql_api_id) : null,
    subscriptionId: null,
    email: readEmail(customer?.email) ?? readEmail(order.email) ?? readEmail(order.contact_email),
    name: customer ? readText(distinct([readText(customer.first_name), readText(customer.last_name)]).join(' ')) : null,
  };
}

/**
 * Links a customer's id to the hints and codes of an order without payment, because a later renewal may carry only that id.
 */
export function identifiedBy(order: Order, occurredAt: number, discountCodes: string[]): CustomerIdentified[] {
  const customer = customerOf(order);
  const isNamed = customer.externalIds.length > 0 || customer.clickIds.length > 0 || customer.email !== null;
  if (customer.processorCustomerId === null || (!isNamed && discountCodes.length === 0)) return [];
  return [identifiedFact(customer, occurredAt, discountCodes)];
}

/** The order's discount codes, as the shopper typed them. */
export function discountCodesOf(order: Order): string[] {
  return distinct([order.discount_codes, order.discount_applications].flatMap(codesIn));
}

function codesIn(list: unknown): (string | null)[] {
  return Array.isArray(list) ? list.map((entry: unknown) => readText(memberOf(entry, 'code'))) : [];
}

/** Converts `[{name, value}]` to a map; the first value of a repeated name wins. */
function namedValues(list: unknown): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null);
  for (const entry of Array.isArray(list) ? list : []) {
    const name = memberOf(entry, 'name');
    if (typeof name === 'string' && !(name in values)) values[name] = memberOf(entry, 'value');
  }
  return values;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

/**
 * `landing_site` is a path with a query, or a full URL in old orders. Anyone can set it, so only a click id is read.
 */
function clickIdIn(landingSite: unknown): string | null {
  if (typeof landingSite !== 'string') return null;
  return URL.parse(landingSite, 'https://shop.invalid')?.searchParams.get(CLICK_ID_FIELD) ?? null;
}
