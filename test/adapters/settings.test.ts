import { describe, expect, it } from 'vitest';
import { adapters } from '../../adapters/index.ts';
import { declarations } from '../../adapters/settings.ts';
import { PROCESSORS } from '../../src/core/processor.ts';
import { ENDPOINT_MEMBERS } from '../../src/deliveries/endpoint-members.ts';
import { importsOf, readSourceFiles } from '../helpers/source-modules.ts';

describe.each(PROCESSORS)('the endpoint settings of %s', (processor) => {
  const { settings, secrets } = declarations[processor];

  it('are what its adapter declares', async () => {
    const adapter = await adapters[processor]();
    expect(adapter.settings).toBe(settings);
    expect(adapter.secrets).toBe(secrets);
  });

  it('include test events and secrets, and every member has a default and a description', () => {
    expect(settings.parse({})).toMatchObject({ acceptTestEvents: false });
    expect(secrets.parse({})).toMatchObject({ secrets: [] });
    for (const [name, schema] of Object.entries({ ...settings.shape, ...secrets.shape })) {
      expect(schema.description, name).toMatch(/^\S.{5,}\S$/);
    }
  });

  it('parse unchanged from their stored form, any number of times', () => {
    const all = settings.parse({});
    expect(settings.parse(JSON.parse(JSON.stringify(all)))).toEqual(all);
  });
});

describe('the settings of all adapters', () => {
  it('have the same kind and meaning for every processor that shares a name', () => {
    for (const { name, kind, processors } of ENDPOINT_MEMBERS) {
      for (const processor of processors) {
        const { settings, secrets } = declarations[processor];
        expect([name in settings.shape, name in secrets.shape]).toEqual([kind === 'setting', kind === 'secret']);
      }
    }
    expect(ENDPOINT_MEMBERS.find(({ name }) => name === 'secrets')?.processors).toEqual(PROCESSORS);
  });

  it('load without the package of any processor', () => {
    const modules = new Map(readSourceFiles(['src', 'adapters'], ['.ts']).map((file) => [file.path, file]));
    const seen = new Set<string>();
    const packages = new Set<string>();
    const visit = (path: string) => {
      const file = modules.get(path);
      if (file === undefined) packages.add(path);
      if (file === undefined || seen.has(path)) return;
      seen.add(path);
      for (const { to } of importsOf(file)) visit(to);
    };
    visit('adapters/settings.ts');
    expect([...packages]).toEqual(['zod']);
    expect([...seen]).toContain('adapters/stripe/settings.ts');
  });
});
