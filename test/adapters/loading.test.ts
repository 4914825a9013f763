import { expect, it } from 'vitest';
import { PROCESSORS } from '../../src/core/processor.ts';
import { modulesPerTurn } from '../helpers/modules-per-turn.ts';

const TURNS: Partial<Record<string, number>> = { shopify: 2 };

it.each(PROCESSORS)(
  'the adapter of %s has few modules, because other requests wait while they are loaded',
  (processor) => {
    const perTurn = modulesPerTurn('adapters/index.ts', 'adapters', processor);
    // the whole package of Paddle has 800, that of Shopify 170
    expect(perTurn.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(64);
    expect(perTurn.length).toBeGreaterThanOrEqual(TURNS[processor] ?? 1);
  },
);
