import { readFileSync } from 'node:fs';
import type { EndpointSecrets, EndpointSettings } from '../../adapters/contract/adapter.ts';
import shopify from '../../adapters/shopify/index.ts';
import { enforceFactLimits } from '../../src/core/fact-limits.ts';
import type { Interpretation, PaymentReceived } from '../../src/core/facts.ts';

export const NOW = Date.UTC(2026, 9, 6, 18, 21, 10);
const SHOP = 'fern-and-oak.myshopify.com';
export const ENDPOINT: EndpointSecrets = { secrets: ['shpss_fern'], authorization: null, shopDomain: SHOP };
export const SETTINGS: EndpointSettings = { acceptTestEvents: false, countStores: null, countPaymentIntents: false };

export function fixture(name: string): Buffer {
  return readFileSync(new URL(`../../fixtures/shopify/${name}.json`, import.meta.url));
}

export function bytes(body: unknown): Buffer {
  return Buffer.from(JSON.stringify(body));
}

export function bodyOf(name: string) {
  return JSON.parse(fixture(name).toString('utf8'));
}

export function interpreted(rawBody: Buffer, topic: string, settings = SETTINGS): Interpretation {
  const headers = shopify.sign(rawBody, ENDPOINT, NOW, topic);
  return enforceFactLimits(shopify.interpret(shopify.read({ rawBody, headers }), headers, settings));
}

export function paymentIn(interpretation: Interpretation): PaymentReceived {
  const facts = interpretation.kind === 'facts' ? interpretation.facts : [];
  const payment = facts.find((fact) => fact.kind === 'payment.received');
  if (!payment) throw new Error(`No payment in ${JSON.stringify(interpretation)}`);
  return payment;
}
