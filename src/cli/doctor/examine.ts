import { SchemaMismatch } from '../../errors.ts';
import { type Config, readConfig } from '../../process/config.ts';
import { loadEnvironment } from '../../process/environment.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { describeFailure } from '../terminal/failure.ts';
import type { Progress } from '../terminal/progress.ts';
import { withService } from '../with-service.ts';
import { accountChecks } from './account-checks.ts';
import { type Check, failed, passed } from './check.ts';
import { secretKeyChecks } from './secret-key-check.ts';
import { databaseChecks, serverChecks, singleSignOnChecks } from './system-checks.ts';

/** Every check that can be done: one that fails early leaves out those that need it. Sets the exit code of a wrong schema. */
export async function examine(progress: Progress): Promise<Check[]> {
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
