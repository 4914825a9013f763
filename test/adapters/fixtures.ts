import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { InterpretSettings } from '../../adapters/contract/adapter.ts';
import type { Interpretation } from '../../src/core/facts.ts';
import type { Processor } from '../../src/core/processor.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
const EXPECTED = '.expected.json';

export const DEFAULT_SETTINGS: InterpretSettings = {
  acceptTestEvents: false,
  countStores: null,
  countPaymentIntents: false,
};

/** A payload as a processor sends it, and what it must become; the format is described in fixtures/README.md. */
export interface Fixture {
  /** `<event>[--variant]` */
  name: string;
  /** As the processor spells it. */
  eventType: string;
  rawBody: Buffer;
  /** Besides those that the signature brings. */
  headers: Record<string, string>;
  settings: InterpretSettings;
  /** Undefined where the fixture does not name it. */
  deliveryKey: string | null | undefined;
  interpretation: Interpretation;
}

/** Every fixture of a processor, by name; empty where its folder is. */
export function loadFixtures(processor: Processor): Fixture[] {
  const folder = join(FIXTURES, processor);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json') && !file.endsWith(EXPECTED))
    .sort()
    .map((file) => loadFixture(folder, file, processor));
}

function loadFixture(folder: string, file: string, processor: Processor): Fixture {
  const name = basename(file, '.json');
  const expected = JSON.parse(readFileSync(join(folder, name + EXPECTED), 'utf8'));
  const [event = name] = name.split('--');
  return {
    name,
    eventType: processor === 'shopify' ? topicOf(event) : event,
    rawBody: readFileSync(join(folder, file)),
    headers: expected.headers ?? {},
    settings: { ...DEFAULT_SETTINGS, ...expected.settings },
    deliveryKey: expected.deliveryKey,
    interpretation: expected.interpretation,
  };
}

/** Shopify's topics have a slash, which a file name cannot: `subscription_billing_attempts_success`. */
function topicOf(event: string): string {
  return event.replace(/_([^_]+)$/, '/$1');
}
