import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { interruptible } from '../../../src/cli/terminal/interruption.ts';

const MODULE = new URL('../../../src/cli/terminal/interruption.ts', import.meta.url).href;
const CHILD = `
  import { interruptible } from '${MODULE}';
  const work = () => new Promise((resolve) => setTimeout(resolve, 60_000));
  setTimeout(() => console.log('working'));
  await interruptible({ sentence: 'Stopped: nothing was changed.', cleanUp: () => console.log('cleaned up') }, work);
`;

describe('a command that may be interrupted', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('cleans up after %s, says what it leaves behind, and ends with %d', async (signal, code) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', CHILD]);
    const stderr = text(child.stderr);
    const [first] = await once(child.stdout, 'data');
    expect(String(first)).toBe('working\n');
    const stdout = text(child.stdout);
    child.kill(signal);
    const ended = await once(child, 'close');
    expect([...ended, await stdout]).toEqual([code, null, 'cleaned up\n']);
    expect(await stderr).toContain('Stopped: nothing was changed.');
  });

  it('behaves like any other afterwards, whether it succeeded or failed', async () => {
    const listeners = () => ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => process.listenerCount(signal));
    const before = listeners();
    const during = before.map((count) => count + 1);
    expect(await interruptible({ sentence: '' }, async () => listeners())).toEqual(during);
    await expect(interruptible({ sentence: '' }, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(listeners()).toEqual(before);
  });
});
