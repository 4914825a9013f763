import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { freePort } from './free-port.ts';

it('a port is given once, and to one process of a run, whose servers may start to listen later', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  expect(new Set(ports).size).toBe(50);
  const processes = Math.max(4, availableParallelism());
  expect(new Set(ports.map((port) => port % processes)).size).toBe(1);
});
