import type { Changed } from '../api/change-each.ts';
import { EXIT } from './exit-codes.ts';
import { note } from './output.ts';

/**
 * Says which items were not changed, and why; sets the exit code.
 *
 * @param done completes `Not … yet`: `approved`
 * @throws what ended the work early
 */
export function reportFailures({ failed, stopped }: Pick<Changed<unknown>, 'failed' | 'stopped'>, done: string): void {
  for (const { message } of failed) note(message);
  if (failed.length > 0) process.exitCode = EXIT.unexpected;
  if (stopped === null) return;
  note(`Not ${done} yet: ${stopped.ids.join(', ')}. Run the command again for them.`);
  throw stopped.error;
}
