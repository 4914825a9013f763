import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { guides } from '../../adapters/guides.ts';
import { adapters } from '../../adapters/index.ts';
import { PROCESSORS } from '../../src/core/processor.ts';
import { ROOT } from '../helpers/source-modules.ts';
import { describeAdapter } from './contract-suite.ts';
import { fixturesIn } from './fixtures.ts';

for (const processor of PROCESSORS) {
  const adapter = await adapters[processor]();
  describeAdapter({
    name: processor,
    adapter,
    guide: guides[processor],
    files: readdirSync(join(ROOT, 'adapters', processor)),
    fixtures: fixturesIn(join('fixtures', processor), adapter),
  });
}
