import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder that is deleted with everything in it when the process exits. */
export function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'refbridge-growth-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
