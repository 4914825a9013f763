import { readFileSync } from 'node:fs';
import type { EndpointSettings } from '../../adapters/contract/adapter.ts';
import revenuecat from '../../adapters/revenuecat/index.ts';
import { enforceFactLimits } from '../../src/core/fact-limits.ts';
import type { Interpretation } from '../../src/core/facts.ts';

export const SETTINGS: EndpointSettings = { acceptTestEvents: false, countStores: null, countPaymentIntents: false };

export function fixture(name: string): Buffer {
  return readFileSync(new URL(`../../fixtures/revenuecat/${name}.json`, import.meta.url));
}

export function interpreted(rawBody: Buffer, settings = SETTINGS): Interpretation {
  return enforceFactLimits(revenuecat.interpret(revenuecat.read({ rawBody, headers: {} }), {}, settings));
}

export function changed(name: string, members: Record<string, unknown>): Buffer {
  const body = JSON.parse(fixture(name).toString('utf8'));
  return Buffer.from(JSON.stringify({ ...body, event: { ...body.event, ...members } }));
}
