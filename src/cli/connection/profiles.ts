import { chmodSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { createFolder } from '../../app/create-folder.ts';
import { messageOf } from '../../errors.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';

/** A server and a key for one of its accounts. */
export interface Profile {
  url: string;
  apiKey: string;
}

/** What `refbridge login` has stored, by name, and the name of the profile that commands use. */
export interface Profiles {
  current: string | null;
  profiles: Record<string, Profile>;
}

const NOBODY_ELSE = 0o077;

/**
 * `$XDG_CONFIG_HOME/refbridge/config.json`; a relative path in that variable must be ignored (XDG Base Directory
 * Specification).
 */
export function profilesFile(environment: NodeJS.ProcessEnv = process.env): string {
  const { XDG_CONFIG_HOME = '', HOME } = environment;
  const folder = isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(HOME || homedir(), '.config');
  return join(folder, 'refbridge', 'config.json');
}

/** @throws CommandError if the file is not one of ours, or may be read by other users */
export function readProfiles(file = profilesFile()): Profiles {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { current: null, profiles: {} };
    throw new CommandError(EXIT.configuration, unusable(file, 'read', error), error);
  }
  if (process.platform !== 'win32' && (statSync(file).mode & NOBODY_ELSE) !== 0) {
    throw new CommandError(
      EXIT.configuration,
      `Other users may read the API keys in ${file}: run \`chmod 600 ${file}\`, and revoke the keys if somebody may have read them.`,
    );
  }
  try {
    return profilesIn(JSON.parse(text));
  } catch (error) {
    throw new CommandError(EXIT.configuration, `${file} is damaged: delete it, then run \`refbridge login\`.`, error);
  }
}

/** @throws Error unless it is what `writeProfiles` wrote */
function profilesIn({ current, profiles }: Record<string, unknown>): Profiles {
  const isName = current === null || typeof current === 'string';
  if (!isName || typeof profiles !== 'object' || profiles === null || Array.isArray(profiles))
    throw new Error('No profiles');
  return {
    current,
    profiles: Object.fromEntries(Object.entries(profiles).map(([name, one]) => [name, profileIn(one)])),
  };
}

function profileIn({ url, apiKey }: Record<string, unknown>): Profile {
  if (typeof url === 'string' && typeof apiKey === 'string' && url && apiKey) return { url, apiKey };
  throw new Error('No profile');
}

/**
 * Replaces the file atomically; nobody else may read it or list its folder.
 *
 * @throws CommandError if it cannot be written
 */
export function writeProfiles(profiles: Profiles, file = profilesFile()): void {
  try {
    createFolder(dirname(file), 0o700);
    chmodSync(dirname(file), 0o700);
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, file);
  } catch (error) {
    throw new CommandError(EXIT.configuration, unusable(file, 'written', error), error);
  }
}

function unusable(file: string, how: 'read' | 'written', error: unknown): string {
  return `${file} cannot be ${how} (${messageOf(error)}): let this user do it, or set XDG_CONFIG_HOME to another folder.`;
}
