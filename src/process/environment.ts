import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { messageOf } from '../errors.ts';
import { ConfigError } from './config-error.ts';

/**
 * The process's environment plus a `.env` in the working folder, which never overrides it.
 *
 * @throws ConfigError when there is a `.env` that cannot be read
 */
export function loadEnvironment(): NodeJS.ProcessEnv {
  if (!existsSync('.env')) return process.env;
  try {
    // not loadEnvFile, which calls a file missing that it may not read
    const text = readFileSync('.env', 'utf8');
    // the mark that Windows puts before UTF-8 would become part of the first name
    for (const [name, value] of Object.entries(parseEnv(text.replace(/^\uFEFF/, '')))) process.env[name] ??= value;
    return process.env;
  } catch (error) {
    throw new ConfigError([{ name: '.env', message: `must be a file that this user may read (${messageOf(error)})` }]);
  }
}
