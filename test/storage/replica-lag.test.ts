import { expect, it } from 'vitest';
import { ReplicaState, replicaLagMs } from '../../src/storage/replica.ts';

const BEHIND_MS = 600_000;

it('a standby that is behind is not read while the primary’s clock is behind its last transaction', () => {
  const changes: (string | null)[] = [];
  const state = new ReplicaState({ url: '', lagMaxMs: 5_000, onChange: (reason) => changes.push(reason) });
  state.primaryAt(10, performance.now() - BEHIND_MS);
  state.replicaAt(10);
  state.primaryAt(20, performance.now());
  state.replicaAt(15);
  // the primary's clock was set back by more than the standby is behind
  state.judge(BEHIND_MS - 3_600_000);
  expect(state.isUsable).toBe(false);
  expect(changes).toEqual([expect.stringContaining('behind')]);
  expect(replicaLagMs()).toBeGreaterThanOrEqual(BEHIND_MS);

  state.replicaAt(20);
  state.judge(BEHIND_MS - 3_600_000);
  expect([state.isUsable, replicaLagMs()]).toEqual([true, 0]);
});
