import { describe, expect, it } from 'vitest';
import { createRoutes } from '../../src/http/routes.ts';
import { isReservedKey } from '../../src/links/keys.ts';

const PAGES = ['dashboard', 'portal', 'assets', 'embed', 'compat'];

describe('the keys that no link may have', () => {
  it('are the first segments of every path of the service, in upper and lower case', () => {
    const paths = createRoutes().map(({ path }) => path);
    const segments = new Set(paths.map((path) => path.split('/')[1] ?? '').filter((first) => /^[a-z]/.test(first)));
    expect([...segments]).toEqual(
      expect.arrayContaining(['api', 'docs', 'health', 'metrics', 'openapi.json', 'script.js']),
    );
    for (const segment of [...segments, ...PAGES]) {
      expect([segment, isReservedKey(segment), isReservedKey(segment.toUpperCase())]).toEqual([segment, true, true]);
    }
  });
});
