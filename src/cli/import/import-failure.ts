import { isTemporary } from '../../errors.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';

/**
 * Turns a failure of the database, whose message is about one row, into one about the import.
 *
 * @param sentence what was imported, and what to do
 */
export function importFailure(error: unknown, sentence: string): unknown {
  if (!isTemporary(error)) return error;
  return new CommandError(EXIT.unreachable, `${sentence}\nThe last row failed: ${error.message}.`, error);
}
