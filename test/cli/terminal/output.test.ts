import { afterEach, expect, it, vi } from 'vitest';
import { printChunks } from '../../../src/cli/terminal/output.ts';

const { isTTY } = process.stdout;
afterEach(() => {
  process.stdout.isTTY = isTTY;
  vi.restoreAllMocks();
});

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  for (const byte of Buffer.from(text)) yield Uint8Array.of(byte);
}

it('a file that arrives in pieces of any size is whole on a terminal', async () => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  process.stdout.isTTY = true;
  await printChunks(bytesOf('Müller\r\n'));
  expect(written.mock.calls.map(([text]) => text).join('')).toBe('Müller\n');
});
