import { createHash, createHmac } from 'node:crypto';
import { ServiceError } from '../../src/errors.ts';
import { parseExactJson } from '../contract/exact-json.ts';
import type { Secrets, Settings } from './settings.ts';

export const API_VERSION = '2026-10';
const SHOP_PLACEHOLDER = 'refbridge-replay.myshopify.com';

/** All headers that Shopify sends. Both ids are derived from the body, so the same body is always the same delivery. */
export function sign(
  rawBody: Buffer,
  { secrets, shopDomain }: Secrets & Settings,
  now: number,
  eventType?: string,
): Record<string, string> {
  const [secret] = secrets;
  if (!secret) throw new ServiceError('INVALID_SIGNATURE', 'Signing for Shopify takes a secret');
  const digest = createHash('sha256').update(rawBody).digest('hex');
  return {
    'content-type': 'application/json',
    'x-shopify-topic': eventType ?? topicOf(rawBody),
    'x-shopify-shop-domain': shopDomain ?? SHOP_PLACEHOLDER,
    'x-shopify-api-version': API_VERSION,
    'x-shopify-webhook-id': uuidFrom(digest.slice(0, 32)),
    'x-shopify-event-id': uuidFrom(digest.slice(32)),
    'x-shopify-triggered-at': new Date(now).toISOString(),
    'x-shopify-hmac-sha256': createHmac('sha256', secret).update(rawBody).digest('base64'),
  };
}

/** Guesses the topic from members specific to each kind of body, because Shopify's bodies do not name it. */
function topicOf(rawBody: Buffer): string {
  const body = parseExactJson(rawBody) ?? {};
  if ('financial_status' in body) return orderTopicOf(body);
  if ('transactions' in body) return 'refunds/create';
  if ('evidence_due_by' in body || 'network_reason_code' in body) return disputeTopicOf(body);
  if ('subscription_contract_id' in body) return billingTopicOf(body);
  if ('origin_order_id' in body) return 'subscription_contracts/create';
  if ('order_edit' in body) return 'orders/edited';
  if ('data_request' in body) return 'customers/data_request';
  if ('orders_to_redact' in body) return 'customers/redact';
  return 'shop_domain' in body ? 'shop/redact' : 'unknown/unknown';
}

function orderTopicOf(body: Record<string, unknown>): string {
  if (Array.isArray(body.refunds) && body.refunds.length > 0) return 'orders/updated';
  if (body.cancelled_at) return 'orders/cancelled';
  return body.financial_status === 'paid' ? 'orders/paid' : 'orders/create';
}

function disputeTopicOf(body: Record<string, unknown>): string {
  return body.finalized_on ? 'disputes/update' : 'disputes/create';
}

function billingTopicOf(body: Record<string, unknown>): string {
  return body.error_code ? 'subscription_billing_attempts/failure' : 'subscription_billing_attempts/success';
}

function uuidFrom(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
