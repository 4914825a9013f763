import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder unless it exists, and every missing folder above it, all with the same mode. Node's `recursive` never
 * ends in /proc, where a folder that cannot be created is reported as one whose parent is missing.
 *
 * @throws NodeJS.ErrnoException when one of them cannot be created, also because there is a file in its place
 */
export function createFolder(path: string, mode: number): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) createFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // also when another process has just created it
    if (!existsSync(path) || !statSync(path).isDirectory()) throw error;
  }
}
