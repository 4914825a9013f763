import { rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { CommandError, EXIT } from './exit-codes.ts';

/** A new file that only its owner can read. */
export interface NewFile {
  handle: FileHandle;
  /** Deletes the file, which is incomplete. */
  discard(): void;
}

/** @throws CommandError when it exists, or cannot be created */
export async function createNewFile(path: string): Promise<NewFile> {
  const handle = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw new CommandError(EXIT.usage, `${path} cannot be created: name a new file in a folder that exists.`, error);
  });
  return { handle, discard: () => rmSync(path, { force: true }) };
}
