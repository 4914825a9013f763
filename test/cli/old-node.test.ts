import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { oldNodeProblem } from '../../src/cli/old-node.js';
import { ROOT } from '../helpers/source-modules.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('an older Node', () => {
  it('gets a single sentence: what is needed, which version this is, and where to get another', () => {
    const problem = oldNodeProblem('20.20.2', '/usr/bin/node');
    expect(problem).toMatch(/^Refbridge needs Node 24 or later, but \/usr\/bin\/node is Node 20\.20\.2\. .*npm ci/);
    expect(problem).not.toContain('\n');
    expect(oldNodeProblem('22.21.0', 'node')).not.toBeNull();
    for (const version of ['24.0.0', '26.1.0']) expect(oldNodeProblem(version, 'node')).toBeNull();
  });

  it('may be 22 for the published package, which is JavaScript', () => {
    const [, oldest = ''] = /^>=(\d+\.\d+)$/.exec(packageJson.engines.node) ?? [];
    expect(read('src/cli/old-node.js')).toContain(`const OLDEST_FOR_PACKAGE = '${oldest}';`);
    for (const version of ['22.12.0', '22.23.3', '24.0.0']) expect(oldNodeProblem(version, 'node', oldest)).toBeNull();
    expect(oldNodeProblem('22.11.0', 'node', oldest)).toMatch(
      /^Refbridge needs Node 22\.12 or later, but node is Node 22/,
    );
  });

  it.each(['src/cli/start.js', 'src/cli/index.ts'])(
    'gets that sentence in %s before anything that it cannot read',
    (path) => {
      const text = read(path);
      const imports = [...text.matchAll(/^import .*$/gm)].map(([line]) => line);
      expect(imports).toEqual([
        "import nodeModule from 'node:module';",
        "import { requireNode } from './old-node.js';",
      ]);
      const check = text.indexOf('requireNode();');
      expect(check).toBeGreaterThan(0);
      expect(check).toBeLessThan(text.indexOf('enableCompileCache()'));
      expect(check).toBeLessThan(text.indexOf('await import('));
    },
  );

  it.each(['prestart', 'predemo', 'pretest', 'prebuild'] as const)('gets it in %s, before any TypeScript', (script) => {
    expect(packageJson.scripts[script]).toMatch(/^node src\/cli\/check-node\.js( && |$)/);
  });
});

describe('a script that runs for long', () => {
  it.each(['start', 'refbridge', 'demo', 'test', 'bench', 'screenshots'] as const)(
    'becomes its program, so that SIGTERM to npm run %s reaches that and not just a shell',
    (script) => {
      expect(packageJson.scripts[script]).toMatch(/^exec (node|vitest) /);
    },
  );
});
