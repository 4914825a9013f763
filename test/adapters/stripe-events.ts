import type { EndpointSettings } from '../../adapters/contract/adapter.ts';
import stripe from '../../adapters/stripe/index.ts';
import { enforceFactLimits } from '../../src/core/fact-limits.ts';
import type { Fact, Interpretation } from '../../src/core/facts.ts';
import { DEFAULT_SETTINGS, loadFixtures } from './fixtures.ts';

export const stripeFixtures = await loadFixtures('stripe');

export function bodyOf(name: string): Buffer {
  const fixture = stripeFixtures.find((candidate) => candidate.name === name);
  if (!fixture) throw new Error(`No fixture stripe/${name}`);
  return fixture.rawBody;
}

export function payloadOf(name: string) {
  return JSON.parse(bodyOf(name).toString('utf8'));
}

export function interpretPayload(payload: unknown, settings: EndpointSettings = DEFAULT_SETTINGS): Interpretation {
  const delivery = stripe.read({ rawBody: Buffer.from(JSON.stringify(payload)), headers: {} });
  return enforceFactLimits(stripe.interpret(delivery, {}, settings));
}

/** Interprets a fixture with some members of its object replaced. */
export function interpret(name: string, changes: object = {}, settings?: EndpointSettings): Interpretation {
  const payload = payloadOf(name);
  return interpretPayload({ ...payload, data: { object: { ...payload.data.object, ...changes } } }, settings);
}

export function factsOf(interpretation: Interpretation): Fact[] {
  return interpretation.kind === 'facts' ? interpretation.facts : [];
}

/** The kind of the first fact; `ignored` or `unknown` without facts. */
export function firstKind(interpretation: Interpretation): string {
  return factsOf(interpretation)[0]?.kind ?? interpretation.kind;
}
