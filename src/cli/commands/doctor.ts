import type { Command } from 'commander';
import type { Check } from '../doctor/check.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { interruptible } from '../terminal/interruption.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { yieldToOthers } from '../terminal/priority.ts';
import { createProgress } from '../terminal/progress.ts';

const MARKS = { ok: '✓', warning: '!', failed: '✗' } as const;

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('find problems: configuration, database, clock, endpoints, deliveries, links, payouts, ledger')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nReads page by page beside a running server; Ctrl-C stops it at any time.\n' +
        'Exit code 1 if a check fails, 0 if there are only warnings.\n\nExample:\n  $ refbridge doctor',
    )
    .action(async (options: { json?: true }) => {
      const { examine } = await import('../doctor/examine.ts');
      yieldToOthers();
      const progress = createProgress(options);
      const sentence = 'Stopped before every check was done. Doctor only reads, so nothing was changed.';
      const checks = await interruptible({ sentence, cleanUp: progress.clear }, () => examine(progress));
      progress.clear();
      const healthy = checks.every(({ status }) => status !== 'failed');
      if (options.json) printJson({ healthy, checks });
      else for (const check of checks) print(lineOf(check));
      if (!options.json) note(healthy ? '\nNothing is broken.' : '\nSomething is broken: see ✗.');
      if (!healthy) process.exitCode ??= EXIT.unexpected;
    });
}

function lineOf({ check, status, message, advice }: Check): string {
  const text = advice === null ? message : `${message}\n${advice}`;
  return `${MARKS[status]} ${check}: ${text.replaceAll('\n', '\n    ')}`;
}
