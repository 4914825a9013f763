import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LogOutput } from '../../src/process/log-output.ts';

/** An output that accepts `room` bytes and fails with `code` once it is full. */
function createPipe(code: string, room = 0) {
  const pipe = { text: '', room };
  const writeSome = (bytes: Buffer) => {
    if (pipe.room === 0) throw Object.assign(new Error(code), { code });
    const taken = bytes.subarray(0, pipe.room);
    pipe.room -= taken.length;
    pipe.text += taken.toString();
    return taken.length;
  };
  return { pipe, writeSome };
}

it.each(['EAGAIN', 'ENOSPC', 'EPIPE', 'EIO'])(
  'keeps lines that fail with %s until they can be written',
  async (code) => {
    const { pipe, writeSome } = createPipe(code, 8);
    const output = new LogOutput({ writeSome });
    for (const line of ['first\n', 'second\n', 'third\n']) output.write(line);
    expect(pipe.text).toBe('first\nse');
    pipe.room = 1_000;
    await expect.poll(() => pipe.text).toBe('first\nsecond\nthird\n');
    expect(output.droppedLines).toBe(0);
  },
);

it('drops and counts what exceeds its buffer, and reports it once the rest is written', async () => {
  const { pipe, writeSome } = createPipe('EAGAIN');
  const recovered: number[] = [];
  const output = new LogOutput({ bytesMax: 20, writeSome });
  output.onRecovered = (droppedLines) => recovered.push(droppedLines);
  for (let line = 0; line < 10; line++) output.write('12345678\n');
  expect(output.droppedLines).toBe(8);
  await sleep(250);
  expect(recovered).toEqual([]);
  pipe.room = 1_000;
  await expect.poll(() => recovered).toEqual([8]);
  expect(pipe.text).toBe('12345678\n12345678\n');
  output.write('after\n');
  expect(pipe.text).toContain('after\n');
  expect(recovered).toEqual([8]);
});
