import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkplace, type Workplace } from '../cli/run-cli.ts';
import { freePort } from '../helpers/free-port.ts';
import { blocksOf } from '../helpers/markdown.ts';
import { ROOT } from '../helpers/source-modules.ts';

const HEADING = '## Set it up in five minutes';
/** The command of the first terminal; here the server is already running. */
const DONE_ALREADY = ['npm ci', 'npm start'];

interface Step {
  command: string;
  /** The expected output, in the order of the text; `…` matches anything. */
  answers: string[];
}

/** The commands of the chapter in order, each with the arrows that follow it. */
function readSteps(): Step[] {
  const text = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const start = text.indexOf(HEADING);
  const chapter = text.slice(start, text.indexOf('\n## ', start + 1));
  const lines = blocksOf({ path: 'README.md', text: chapter }, 'sh').flatMap((block) =>
    block
      .replaceAll(/\\\n\s*/g, ' ')
      .trim()
      .split('\n'),
  );
  const steps: Step[] = [];
  for (const line of lines) {
    const [, answer] = /^# → "(.*)"$/.exec(line) ?? [];
    if (answer === undefined) steps.push({ command: line, answers: [] });
    else steps.at(-1)?.answers.push(answer);
  }
  return steps;
}

function holdsInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0;
  return parts.every((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}

describe('the setup in the README', () => {
  const steps = readSteps();
  let workplace: Workplace;
  let host: string;

  beforeAll(async () => {
    const port = await freePort();
    host = `localhost:${port}`;
    workplace = createWorkplace({ PORT: String(port), HOST: '127.0.0.1' });
    workplace.environment.DATABASE_URL = `file:${join(workplace.folder, 'refbridge.db')}`;
    await workplace.start('serve').saw(/listening/);
  });
  afterAll(() => workplace.remove());

  it('shows commands and their output', () => {
    expect(steps.map(({ command }) => command)).toEqual(expect.arrayContaining(DONE_ALREADY));
    expect(steps.length).toBeGreaterThan(15);
    expect(steps.flatMap(({ answers }) => answers).length).toBeGreaterThan(8);
  });

  it('works as written, command by command', ({ skip }) => {
    const probe = spawnSync('curl', ['--version']);
    if (probe.error) {
      const why = `curl cannot run here (${probe.error.message}), so the README was NOT tried out`;
      process.stderr.write(`\n${why}\n`);
      skip(why);
    }
    const environment: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: workplace.folder, ...workplace.environment };
    /** The latest printed id of each kind, which a reader would copy. */
    const copied = new Map<string, string>();
    const asTyped = (text: string) =>
      text
        .replaceAll('localhost:3000', host)
        .replaceAll(/\b(rb_live|[a-z]{3})_…/g, (placeholder, prefix) => copied.get(prefix) ?? placeholder);

    for (const { command, answers } of steps.filter((step) => !DONE_ALREADY.includes(step.command))) {
      const typed = asTyped(command);
      const [, name, value] = /^export (\w+)='(.*)'$/.exec(typed) ?? [];
      if (name !== undefined) {
        environment[name] = value;
        continue;
      }
      const { stdout, stderr, status } = spawnSync('sh', ['-c', typed], {
        cwd: ROOT,
        env: environment,
        encoding: 'utf8',
      });
      const output = stdout + stderr;
      expect(status, `${typed}\n${output}`).toBe(0);
      for (const [id, prefix = ''] of output.matchAll(/\b(rb_live|[a-z]{3})_[0-9A-Za-z]{20,}/g)) copied.set(prefix, id);
      for (const answer of answers) {
        const parts = answer.replaceAll('localhost:3000', host).split('…');
        expect(holdsInOrder(output, parts), `${answer} in\n${output}`).toBe(true);
      }
      const isRefusal = answers.includes('DUPLICATE_INVOICE');
      expect(output.includes('"error"'), `${typed}\n${output}`).toBe(isRefusal);
    }
  });
});
