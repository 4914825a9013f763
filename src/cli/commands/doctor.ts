import type { Command } from 'commander';
import { SchemaMismatch } from '../../errors.ts';
import { type Config, loadEnvironment, readConfig } from '../../process/config.ts';
import { accountChecks } from '../doctor/account-checks.ts';
import { type Check, failed, passed } from '../doctor/check.ts';
import { secretKeyChecks } from '../doctor/secret-key-check.ts';
import { databaseChecks, serverChecks, singleSignOnChecks } from '../doctor/system-checks.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { describeFailure } from '../terminal/failure.ts';
import { interruptible } from '../terminal/interruption.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { yieldToOthers } from '../terminal/priority.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { withService } from '../with-service.ts';

const MARKS = { ok: '✓', warning: '!', failed: '✗' } as const;

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('find problems: configuration, database, clock, endpoints, deliveries, links, ledger')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nReads page by page beside a running server; Ctrl-C stops it at any time.\n' +
        'Exit code 1 if a check fails, 0 if there are only warnings.\n\nExample:\n  $ refbridge doctor',
    )
    .action(async (options: { json?: true }) => {
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

async function examine(progress: Progress): Promise<Check[]> {
  const checks: Check[] = [];
  let config: Config;
  try {
    config = readConfig(loadEnvironment());
  } catch (error) {
    return [failed('configuration', describeFailure(error).text, 'Correct the environment or .env.')];
  }
  checks.push(passed('configuration', `${config.database.engine}, ${config.baseUrl}`));
  try {
    await withService(async (service) => {
      const database = await databaseChecks(service, config);
      checks.push(...database, ...(await serverChecks(config)), ...(await singleSignOnChecks(config)));
      if (database.some(({ status }) => status !== 'ok')) return;
      checks.push(...(await secretKeyChecks(service, config)));
      checks.push(...(await accountChecks(service, { progress, databaseUrl: config.database.url })));
    });
  } catch (error) {
    if (error instanceof SchemaMismatch) {
      process.exitCode = EXIT.configuration;
      const advice = 'Doctor changed nothing, and the other checks need the schema of this version.';
      return [...checks, failed('migrations', describeFailure(error).text, advice)];
    }
    checks.push(failed('database', describeFailure(error).text, 'See DATABASE_URL and SECRET_KEY in .env.example.'));
  }
  return checks;
}

function lineOf({ check, status, message, advice }: Check): string {
  const text = advice === null ? message : `${message}\n${advice}`;
  return `${MARKS[status]} ${check}: ${text.replaceAll('\n', '\n    ')}`;
}
