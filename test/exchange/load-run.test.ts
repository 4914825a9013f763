import { expect, it } from 'vitest';
import { modulesPerTurn } from '../helpers/modules-per-turn.ts';

it('the modules of imports are loaded in parts, between which requests are answered', () => {
  const perTurn = modulesPerTurn('src/exchange/jobs/load-run.ts', 'loadRun');
  // fewer, if the server itself begins to load them
  expect(perTurn.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(40);
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(16);
});
