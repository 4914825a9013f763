import { describe, expect, it, vi } from 'vitest';
import { note } from '../../../src/cli/terminal/output.ts';
import { createProgress, formatCount } from '../../../src/cli/terminal/progress.ts';

/** A stream that records what was written to it. */
function createStream(isTTY: boolean) {
  const written: string[] = [];
  const stream = { isTTY, write: (text: string) => written.push(text) > 0 };
  return { written, stream: stream as unknown as NodeJS.WriteStream };
}

describe('progress', () => {
  it('is one line on a terminal, which is rewritten and finally removed', () => {
    const { written, stream } = createStream(true);
    const progress = createProgress({}, stream);
    progress.show('checked 1 of 2');
    progress.show('checked 2 of 2, too soon to be seen');
    progress.clear();
    progress.clear();
    expect(written).toEqual(['\r\u001b[2Kchecked 1 of 2', '\r\u001b[2K']);
  });

  it.each([
    ['a pipe', false, {}],
    ['a caller of --json', true, { json: true as const }],
  ])('is nothing for %s', (_, isTTY, options) => {
    const { written, stream } = createStream(isTTY);
    const progress = createProgress(options, stream);
    progress.show('checked 1 of 2');
    progress.clear();
    expect(written).toEqual([]);
  });

  it('is removed before a note, which would otherwise follow it on its line', () => {
    const { written, stream } = createStream(true);
    const noted = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    try {
      createProgress({}, stream).show('checked 1 of 2');
      note('Waiting 2 s');
      note('Waiting 3 s');
    } finally {
      noted.mockRestore();
    }
    expect(written).toEqual(['\r\u001b[2Kchecked 1 of 2', '\r\u001b[2K', 'Waiting 2 s\n', 'Waiting 3 s\n']);
  });

  it('counts in thousands', () => {
    expect(formatCount(1_500_000)).toBe('1,500,000');
  });
});
