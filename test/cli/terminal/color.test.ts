import { afterEach, expect, it, vi } from 'vitest';
import { formatTable } from '../../../src/cli/terminal/table.ts';

const { isTTY } = process.stdout;

afterEach(() => {
  process.stdout.isTTY = isTTY;
  vi.unstubAllEnvs();
});

const table = () =>
  formatTable(
    ['id', 'status'],
    [
      ['sal_1', 'paid'],
      ['sal_2', 'Paid by hand'],
    ],
    80,
  );

it('a table has colors on a terminal only, and none with NO_COLOR', () => {
  for (const name of ['NO_COLOR', 'NODE_DISABLE_COLORS', 'FORCE_COLOR']) vi.stubEnv(name, undefined);
  vi.stubEnv('TERM', 'xterm-256color');
  process.stdout.isTTY = false;
  expect(table()).toBe('id     status\nsal_1  paid\nsal_2  Paid by hand');
  process.stdout.isTTY = true;
  expect(table()).toBe('\u001b[1mid     status\u001b[22m\nsal_1  \u001b[32mpaid\u001b[39m\nsal_2  Paid by hand');
  vi.stubEnv('NO_COLOR', '1');
  expect(table()).not.toContain('\u001b');
});
