import type { Adapter } from '../../adapters/contract/adapter.ts';
import type { ProcessorGuide } from '../../adapters/contract/guide.ts';
import { secretsOf } from './endpoints.ts';
import type { Fixture } from './fixtures.ts';

export const NOW = Date.UTC(2026, 10, 20, 12);
export const SECRET = `whsec_${Buffer.from('the secret of this endpoint').toString('base64')}`;

/** An adapter, its guide, the names of the files in its folder, and its fixtures. */
export interface AdapterUnderTest {
  name: string;
  adapter: Adapter<string>;
  guide: ProcessorGuide;
  files: readonly string[];
  fixtures: readonly Fixture[];
}

/** A fixture as a request, signed with `SECRET`. */
export function signed(adapter: Adapter<string>, fixture: Pick<Fixture, 'rawBody' | 'eventType'>, now = NOW) {
  const headers = adapter.sign(fixture.rawBody, secretsOf(adapter, SECRET), now, fixture.eventType);
  return { rawBody: fixture.rawBody, headers };
}

/** The first fixture with facts. */
export function firstFixtureOf({ name, fixtures }: AdapterUnderTest): Fixture {
  const fixture = fixtures.find(({ interpretation }) => interpretation.kind === 'facts');
  if (!fixture) throw new Error(`${name} has no payload with facts`);
  return fixture;
}
