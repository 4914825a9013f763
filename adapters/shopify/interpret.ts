import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Interpretation } from '../../src/core/facts.ts';
import type { SignedDelivery } from '../contract/adapter.ts';
import { interpretAs } from '../contract/interpret-as.ts';
import { facts, ignored, noted, unknown } from '../contract/interpretations.ts';
import { interpretDispute } from './interpret-dispute.ts';
import {
  interpretCancelledOrder,
  interpretCreatedOrder,
  interpretPaidOrder,
  interpretUpdatedOrder,
} from './interpret-order.ts';
import { interpretDataRequest, interpretRedaction } from './interpret-privacy.ts';
import { interpretRefund } from './interpret-refund.ts';
import { type BillingAttempt, globalIdOf, type Merge, SCHEMAS } from './payload.ts';
import type { Settings } from './settings.ts';
import { unreadFamilyOf } from './topics.ts';

type Reader = (body: unknown, topic: string) => Interpretation;

/**
 * Every known topic and its reader. The topic is an unsigned header, so a fact about money always needs a matching
 * body.
 */
const TOPICS: ReadonlyMap<string, Reader> = new Map([
  ['orders/paid', reading(SCHEMAS.order, interpretPaidOrder)],
  ['orders/create', reading(SCHEMAS.order, interpretCreatedOrder)],
  ['orders/updated', reading(SCHEMAS.order, interpretUpdatedOrder)],
  ['orders/cancelled', reading(SCHEMAS.order, interpretCancelledOrder)],
  ['orders/edited', noting('an order was edited; its sale keeps the amount that was paid')],
  ['orders/delete', noting('an order was deleted; its sale stays')],
  ['orders/fulfilled', ignoring('A fulfilment moves no money')],
  ['orders/link_requested', ignoring('A request for a link moves no money')],
  ['orders/risk_assessment_changed', ignoring('An assessment moves no money')],
  ['orders/shopify_protect_eligibility_changed', ignoring('An assessment moves no money')],
  ['customers/merge', reading(SCHEMAS.merge, interpretMerge)],
  ['orders/partially_fulfilled', ignoring('A fulfilment moves no money')],
  ['order_transactions/create', ignoring('orders/paid and refunds/create count the money of a transaction')],
  ['refunds/create', reading(SCHEMAS.refund, interpretRefund)],
  ['disputes/create', reading(SCHEMAS.dispute, interpretDispute)],
  ['disputes/update', reading(SCHEMAS.dispute, interpretDispute)],
  ['subscription_billing_attempts/success', reading(SCHEMAS.billingAttempt, interpretBillingSuccess)],
  ['subscription_billing_attempts/failure', reading(SCHEMAS.billingAttempt, interpretBillingFailure)],
  ['subscription_billing_attempts/challenged', reading(SCHEMAS.billingAttempt, interpretBillingChallenge)],
  ['subscription_contracts/create', noting('a subscription began; its orders are the sales')],
  ['subscription_contracts/update', noting('a subscription changed; its orders are the sales')],
  ['subscription_contracts/activate', noting('a subscription is active; its orders are the sales')],
  ['subscription_contracts/pause', noting('a subscription was paused')],
  ['subscription_contracts/fail', noting('a subscription could not be charged')],
  ['subscription_contracts/cancel', noting('a subscription was cancelled')],
  ['subscription_contracts/expire', noting('a subscription has ended')],
  ['app/uninstalled', noting('the app that sent these webhooks was uninstalled: expect no more of them')],
  ['customers/data_request', reading(SCHEMAS.dataRequest, interpretDataRequest)],
  ['customers/redact', reading(SCHEMAS.redaction, interpretRedaction)],
  ['shop/redact', reading(SCHEMAS.shopRedaction, () => facts([{ kind: 'endpoint.erased' }]))],
]);

/** Interprets the body of a webhook according to the topic in the header. */
export function interpret(delivery: SignedDelivery, headers: IncomingHttpHeaders, settings: Settings): Interpretation {
  return interpretAs('The body', SCHEMAS.any, delivery.payload, (body) => {
    if (headers['x-shopify-topic'] === undefined && headers['shopify-topic'] !== undefined) {
      return ignored('A delivery of Shopify Events (preview): subscribe to webhooks instead');
    }
    const topic = delivery.eventType ?? '';
    if (topic === '') return unknown('The header X-Shopify-Topic is missing, which says what the body is');
    if (!settings.acceptTestEvents && isTest(body)) {
      return ignored('A test event; the endpoint does not accept them (acceptTestEvents)');
    }
    const read = TOPICS.get(topic);
    if (read) return read(body, topic);
    if (unreadFamilyOf(topic) !== null) {
      return ignored(`${topic} is known and moves no money of a customer`);
    }
    return unknown(`Unknown topic ${JSON.stringify(topic)}`);
  });
}

/**
 * The part of a delivery key that names the topic. Anyone with a signed body can send it under any topic, so topics
 * that are not read share a few names. The same body is then stored at most once per name, however many topics are
 * invented.
 */
export function topicKeyOf(topic: string): string {
  return TOPICS.has(topic) ? topic : (unreadFamilyOf(topic) ?? 'other');
}

/**
 * Orders and refund transactions have a `test` flag. The header `X-Shopify-Test` is not signed, so it is not trusted.
 */
function isTest({ test, transactions }: Record<string, unknown>): boolean {
  return (
    test === true ||
    (Array.isArray(transactions) && transactions.some((each: { test?: unknown } | null) => each?.test === true))
  );
}

function interpretBillingSuccess(attempt: BillingAttempt): Interpretation {
  const attemptId = attemptIdOf(attempt);
  if (!attempt.order_id) return noted(`billing attempt ${attemptId} succeeded without an order`);
  const orderId = globalIdOf('Order', attempt.order_id, attempt.admin_graphql_api_order_id);
  return facts([{ kind: 'payment.referenced', references: [orderId, attemptId] }]);
}

function interpretBillingFailure(attempt: BillingAttempt): Interpretation {
  return noted(`billing attempt ${attemptIdOf(attempt)} failed: ${attempt.error_code ?? 'no reason given'}`);
}

function interpretBillingChallenge(attempt: BillingAttempt): Interpretation {
  return noted(`billing attempt ${attemptIdOf(attempt)} waits for the customer's confirmation`);
}

/**
 * Only noted. If the two customers were joined, an order of the kept customer would belong to the deleted one until the
 * kept one's own first order arrives, and to the kept one afterwards. Two partners may have referred them, and the
 * order of arrival would decide between the partners.
 */
function interpretMerge(merge: Merge): Interpretation {
  const { admin_graphql_api_customer_kept_id: kept, admin_graphql_api_customer_deleted_id: deleted, status } = merge;
  switch (status) {
    case 'completed':
      return noted(`${deleted} was merged into ${kept}`);
    case 'failed':
    case 'in_progress':
    case 'requested':
      return noted(`merging ${deleted} into ${kept}: ${status}`);
    default:
      return unknown(`Unknown status ${JSON.stringify(status)} of a merge`);
  }
}

function attemptIdOf(attempt: BillingAttempt): string {
  return globalIdOf('SubscriptionBillingAttempt', attempt.id, attempt.admin_graphql_api_id);
}

function reading<Schema extends z.ZodType>(schema: Schema, read: (body: z.output<Schema>) => Interpretation): Reader {
  return (body, topic) => interpretAs(topic, schema, body, read);
}

function noting(what: string): Reader {
  return () => noted(what);
}

function ignoring(reason: string): Reader {
  return () => ignored(reason);
}
