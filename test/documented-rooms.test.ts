import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOMS } from './helpers/rooms.ts';
import { importsOf, ROOT, readSourceFiles } from './helpers/source-modules.ts';

/** What every room may import, and rooms whose code does not run in the server. */
const WITHOUT_PLACE = [
  'errors.ts',
  'ids.ts',
  'clock.ts',
  'thread-source.ts',
  'bounded-body.ts',
  'web',
  'client',
  'middleware',
  'better-auth',
];
const WITH_PLACE = Object.keys(ROOMS)
  .map(topOf)
  .filter((room) => !WITHOUT_PLACE.some((name) => room === `src/${name}`));

/** `src/rails/paypal` → `src/rails`; `adapters/stripe` → `adapters`. */
function topOf(path: string): string {
  return path.startsWith('adapters/') ? 'adapters' : path.split('/').slice(0, 2).join('/');
}

/** The rooms of the first table of the page, from the highest to the lowest. */
function roomsInOrder(page: string): string[] {
  const [, table = ''] = page.split('| room | holds |\n');
  const [rows = ''] = table.split('\n\n');
  const names = [...rows.matchAll(/^\| `([^`]+?)\/?`/gm)].map(([, name]) => name);
  return names.map((name) => (name === 'adapters' ? name : `src/${name}`));
}

describe('the table of rooms in docs/ARCHITECTURE.md', () => {
  const rooms = roomsInOrder(readFileSync(join(ROOT, 'docs/ARCHITECTURE.md'), 'utf8'));

  it('lists every room of the server once', () => {
    expect([...rooms].sort()).toEqual([...new Set(WITH_PLACE)].sort());
  });

  it('puts each room above those that it imports', () => {
    const placeOf = (path: string) => rooms.indexOf(topOf(path));
    const upward = readSourceFiles(['src', 'adapters'], ['.ts', '.tsx', '.js'])
      .flatMap(importsOf)
      .filter(({ from, to }) => placeOf(to) !== -1 && placeOf(to) < placeOf(from));
    expect(upward).toEqual([]);
  });
});
