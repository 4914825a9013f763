import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Adapter, EndpointSettings } from '../../adapters/contract/adapter.ts';
import { adapters } from '../../adapters/index.ts';
import type { Interpretation } from '../../src/core/facts.ts';
import type { Processor } from '../../src/core/processor.ts';
import { ROOT } from '../helpers/source-modules.ts';

export { DEFAULT_SETTINGS } from '../../src/deliveries/endpoint-members.ts';

const EXPECTED = '.expected.json';

/** A payload as a processor sends it, and its expected result; fixtures/README.md describes the format. */
export interface Fixture {
  /** `<event>[--variant]` */
  name: string;
  /** As the processor spells it. */
  eventType: string;
  rawBody: Buffer;
  /** Headers besides those of the signature. */
  headers: Record<string, string>;
  settings: EndpointSettings;
  /** Undefined when the fixture does not state it. */
  deliveryKey: string | null | undefined;
  interpretation: Interpretation;
}

/** Every fixture of a registered processor, by name; empty without a folder. */
export async function loadFixtures(processor: Processor): Promise<Fixture[]> {
  return fixturesIn(join('fixtures', processor), await adapters[processor]());
}

/** Every fixture of a folder (a path from the repository's root), by name. */
export function fixturesIn(folder: string, adapter: Adapter<string>): Fixture[] {
  const path = join(ROOT, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((file) => file.endsWith('.json') && !file.endsWith(EXPECTED))
    .sort()
    .map((file) => loadFixture(path, file, adapter));
}

function loadFixture(folder: string, file: string, adapter: Adapter<string>): Fixture {
  const name = basename(file, '.json');
  const expected = JSON.parse(readFileSync(join(folder, name + EXPECTED), 'utf8'));
  const [event = name] = name.split('--');
  return {
    name,
    eventType: adapter.eventTypeOf(event) ?? event,
    rawBody: readFileSync(join(folder, file)),
    headers: expected.headers ?? {},
    settings: adapter.settings.parse(expected.settings ?? {}),
    deliveryKey: expected.deliveryKey,
    interpretation: expected.interpretation,
  };
}

/** The fixture of this name. */
export async function fixtureOf(processor: Processor, name: string): Promise<Fixture> {
  const fixture = (await loadFixtures(processor)).find((candidate) => candidate.name === name);
  if (fixture === undefined) throw new Error(`no fixture ${name}`);
  return fixture;
}
