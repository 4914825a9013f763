import { readFileSync } from 'node:fs';
import { SIGNATURES } from '../security.ts';

const FIXTURES = new URL('../../../fixtures/', import.meta.url);

/** A delivery of each processor. */
export function webhookExamples(): Record<string, { summary: string; value: unknown }> {
  return Object.fromEntries(
    Object.entries(SIGNATURES).map(([processor, { name, fixture }]) => [
      processor,
      { summary: name, value: readFixture(processor, fixture) },
    ]),
  );
}

/** `invoice.paid--renewal` of `stripe`: the payload that the processor's adapter is tested with. */
export function readFixture(processor: string, name: string): unknown {
  return JSON.parse(readFileSync(new URL(`${processor}/${name}.json`, FIXTURES), 'utf8'));
}
