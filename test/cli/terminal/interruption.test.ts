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
  it('cleans up, says what it leaves behind, and ends with 130', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', CHILD]);
    const stderr = text(child.stderr);
    const [first] = await once(child.stdout, 'data');
    expect(String(first)).toBe('working\n');
    const stdout = text(child.stdout);
    child.kill('SIGINT');
    const [exitCode] = await once(child, 'close');
    expect([exitCode, await stdout]).toEqual([130, 'cleaned up\n']);
    expect(await stderr).toContain('Stopped: nothing was changed.');
  });

  it('behaves like any other afterwards, whether it succeeded or failed', async () => {
    const before = process.listenerCount('SIGINT');
    expect(await interruptible({ sentence: '' }, async () => process.listenerCount('SIGINT'))).toBe(before + 1);
    await expect(interruptible({ sentence: '' }, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(process.listenerCount('SIGINT')).toBe(before);
  });
});
