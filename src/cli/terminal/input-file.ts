import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { messageOf } from '../../errors.ts';
import { CommandError, EXIT } from './exit-codes.ts';

/**
 * Requires something that can be read: a file, or a pipe.
 *
 * @throws CommandError when there is nothing, or a folder
 */
export function requireInputFile(path: string): void {
  let isFolder: boolean;
  try {
    isFolder = statSync(path).isDirectory();
  } catch {
    throw new CommandError(EXIT.usage, `There is no file ${path}.`);
  }
  if (isFolder) throw new CommandError(EXIT.usage, `${path} is a folder: name a file.`);
}

/** The text of a file or pipe. @throws CommandError when it cannot be read */
export async function readInputFile(path: string): Promise<string> {
  requireInputFile(path);
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new CommandError(EXIT.usage, `${path} cannot be read: ${messageOf(error)}`, error);
  });
}
