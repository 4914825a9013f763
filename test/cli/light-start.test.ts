import { describe, expect, it } from 'vitest';
import { loadedBy, readSourceFiles } from '../helpers/source-modules.ts';

/** Help, wrong usage and commands on a server need no other package: loading all took a third of a second and 100 MB. */
const LIGHT_PACKAGES = ['commander'];

const COMMAND_FILES = readSourceFiles(['src/cli/commands'], ['.ts']).map(({ path }) => path);

describe('before a command knows that it works on the database, it loads', () => {
  it.each(['src/cli/program.ts', ...COMMAND_FILES])('neither routes nor schemas for %s', (path) => {
    const loaded = [...loadedBy(path)];
    const packages = loaded.filter(
      (name) => !name.includes('/') && !name.startsWith('node:') && name !== 'package.json',
    );
    expect(packages.filter((name) => !LIGHT_PACKAGES.includes(name))).toEqual([]);
    expect(loaded.filter((name) => name.startsWith('@') || name.startsWith('src/http/'))).toEqual([]);
    expect(loaded.length).toBeGreaterThan(0);
  });
});

describe('for a command on the database, it loads', () => {
  it('no routes before one is called', () => {
    const loaded = [...loadedBy('src/cli/api/local-api.ts')];
    expect(loaded.filter((name) => /(?:^|[/-])api\.ts$/.test(name) && !name.startsWith('src/cli/'))).toEqual([]);
  });

  it('nothing that stores deliveries', () => {
    const loaded = loadedBy('src/open-service.ts');
    expect(loaded).toContain('src/app/service.ts');
    expect(loaded).not.toContain('src/deliveries/store.ts');
  });
});
