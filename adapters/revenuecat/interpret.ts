import type { IncomingHttpHeaders } from 'node:http';
import type { Interpretation } from '../../src/core/facts.ts';
import type { SignedDelivery } from '../contract/adapter.ts';
import { interpretAs } from '../contract/interpret-as.ts';
import { ignored, unknown } from '../contract/interpretations.ts';
import { identifiedBy } from './customer-hints.ts';
import { interpretCancellation, interpretPurchase, interpretRefundReversed, noted } from './interpret-purchase.ts';
import { type Event, payloadSchema } from './payload.ts';
import type { Settings } from './settings.ts';

type Reader = (event: Event) => Interpretation;

/**
 * Stores whose payments a processor's own webhook also reports, and stores where nobody pays. `RC_BILLING` counts
 * because RevenueCat bills it itself: Stripe is only its gateway and has no invoice or session for it.
 */
const STORES_NOT_COUNTED = ['STRIPE', 'PADDLE', 'PROMOTIONAL', 'TEST_STORE'];

/** Purchase events, which count only for the right environment and store. */
const PURCHASE_EVENTS: ReadonlyMap<string, Reader> = new Map([
  ['INITIAL_PURCHASE', interpretPurchase],
  ['RENEWAL', interpretPurchase],
  ['NON_RENEWING_PURCHASE', interpretPurchase],
  ['CANCELLATION', interpretCancellation],
  ['REFUND_REVERSED', interpretRefundReversed],
  ['UNCANCELLATION', noting('the subscription is no longer cancelled')],
  ['EXPIRATION', noting('the subscription expired')],
  ['BILLING_ISSUE', noting('the store could not charge for the subscription')],
  ['SUBSCRIPTION_PAUSED', noting('the subscription will pause')],
  ['SUBSCRIPTION_EXTENDED', noting('the subscription was extended')],
]);

/** Events without a purchase, and events whose money another event reports. */
const OTHER_EVENTS: ReadonlyMap<string, Reader> = new Map([
  ['TRANSFER', noting('purchases moved from one app user to another; what was earned stays with its partner')],
  ['SUBSCRIBER_ALIAS', noting('an app user id was joined to another')],
  ['TEST', ignoring("A test of RevenueCat's dashboard: the connection works")],
  ['PRODUCT_CHANGE', withoutMoney('A change of product: the RENEWAL or INITIAL_PURCHASE beside it reports the money')],
  ['PURCHASE_REDEEMED', withoutMoney('A redemption moves no money')],
  ['INVOICE_ISSUANCE', withoutMoney('An invoice is no payment yet')],
  [
    'TEMPORARY_ENTITLEMENT_GRANT',
    withoutMoney('A temporary grant while the store cannot be reached; the purchase follows'),
  ],
  ['VIRTUAL_CURRENCY_TRANSACTION', withoutMoney('Virtual currency is no money')],
  ['EXPERIMENT_ENROLLMENT', withoutMoney('An experiment moves no money')],
  ['PRICE_INCREASE_CONSENT_REQUIRED', withoutMoney('Consent to a price moves no money')],
  ['PRICE_INCREASE_CONSENT_APPROVED', withoutMoney('Consent to a price moves no money')],
]);

export function interpret(
  { payload }: SignedDelivery,
  _headers: IncomingHttpHeaders,
  settings: Settings,
): Interpretation {
  return interpretAs('The body', payloadSchema, payload, ({ event }) => interpretEvent(event, settings));
}

function interpretEvent(event: Event, settings: Settings): Interpretation {
  const readOther = OTHER_EVENTS.get(event.type);
  // nothing is learned from a test event either
  if (readOther) return (event.type === 'TEST' ? null : whyTest(event, settings)) ?? readOther(event);
  if (event.type.startsWith('PAYWALL_')) return ignored('A paywall moves no money');
  const read = PURCHASE_EVENTS.get(event.type);
  if (!read) return unknown(`Unknown event type ${JSON.stringify(event.type)}`);
  return whyNotCounted(event, settings) ?? read(event);
}

function whyNotCounted(event: Event, settings: Settings): Interpretation | null {
  const { environment, store } = event;
  if (environment !== 'PRODUCTION' && environment !== 'SANDBOX') {
    return unknown(`Unknown environment ${JSON.stringify(environment)}`);
  }
  if (!store) return unknown('The event names no store');
  const test = whyTest(event, settings);
  if (test !== null) return test;
  const counted = settings.countStores?.includes(store) ?? !STORES_NOT_COUNTED.includes(store);
  if (!counted) return ignored(`Purchases of store ${store} are not counted (countStores)`);
  if (event.is_family_share) return ignored('Family sharing: another family member paid');
  return null;
}

function whyTest(event: Event, settings: Settings): Interpretation | null {
  // VIRTUAL_CURRENCY_TRANSACTION has only the second one
  const environment = event.environment ?? event.purchase_environment;
  if (environment !== 'SANDBOX' || settings.acceptTestEvents) return null;
  return ignored('A sandbox purchase; the endpoint does not accept them (acceptTestEvents)');
}

/** Reads whom the event names, if anybody. */
function withoutMoney(reason: string): Reader {
  return (event) => {
    const facts = identifiedBy(event);
    return facts.length === 0 ? ignored(reason) : { kind: 'facts', facts: [...facts, { kind: 'noted', what: reason }] };
  };
}

function noting(what: string): Reader {
  return (event) => noted(event, what);
}

function ignoring(reason: string): Reader {
  return () => ignored(reason);
}
