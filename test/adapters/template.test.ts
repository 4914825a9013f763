import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { guide } from '../../adapters/TEMPLATE/guide.ts';
import template from '../../adapters/TEMPLATE/index.ts';
import { ROOT } from '../helpers/source-modules.ts';
import { describeAdapter } from './contract-suite.ts';
import { fixturesIn } from './fixtures.ts';

describeAdapter({
  name: 'template',
  adapter: template,
  guide,
  files: readdirSync(join(ROOT, 'adapters/TEMPLATE')),
  fixtures: fixturesIn('adapters/TEMPLATE/fixtures', template),
});
