import type { Ended, Workplace } from '../../cli/run-cli.ts';
import { dubFixture } from './dub.ts';
import { firstpromoterFixture, partnerstackFixture, toltFixture } from './others.ts';
import { rewardfulFixture } from './rewardful.ts';
import { type SourceFixture, startSource } from './server.ts';

/** By the name of the source. */
export const SOURCE_FIXTURES: Readonly<Record<string, SourceFixture>> = {
  rewardful: rewardfulFixture,
  dub: dubFixture,
  tolt: toltFixture,
  firstpromoter: firstpromoterFixture,
  partnerstack: partnerstackFixture,
};

/** Runs `import <source> …` against a server that stands in for the service. */
export async function runImport(workplace: Workplace, words: readonly string[]): Promise<Ended> {
  const fixture = SOURCE_FIXTURES[words[1] ?? ''];
  if (fixture === undefined) throw new Error(`There is no source in ${words.join(' ')}`);
  const server = await startSource(fixture);
  try {
    return await workplace.run([...words, '--api-url', server.url], { environment: fixture.environment });
  } finally {
    await server.close();
  }
}
