import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PROGRAM, type Workplace } from './run-cli.ts';

/** What is typed once a text is shown. */
type Typed = readonly [shown: string, keys: string];

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * Runs a command on a terminal of its own, which `script` of util-linux opens. Returns everything that the terminal showed,
 * also what it echoed.
 */
export async function runOnTerminal(
  { folder, environment }: Pick<Workplace, 'folder' | 'environment'>,
  words: readonly string[],
  typed: readonly Typed[],
): Promise<{ exitCode: number | null; shown: string }> {
  const command = [process.execPath, PROGRAM, ...words].map(quoted).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...environment },
  });
  const left = [...typed];
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk;
    const [next] = left;
    if (next === undefined || !shown.includes(next[0])) return;
    left.shift();
    child.stdin.write(next[1]);
  });
  const [exitCode] = await once(child, 'close');
  return { exitCode, shown };
}
