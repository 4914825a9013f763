import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/**
 * By default, V8 compiles a function to fast code after 3,000 calls, and 500 after it has met a new type. Most of ours run
 * once per request, so a server would be slow for its first ten thousand requests.
 */
const COMPILE_SOON = ['--invocation-count-for-turbofan=300', '--minimum-invocations-after-ic-update=50'];

/** Code of the two other compilers takes memory, but saves no processor time when fast code comes so soon. */
const ONE_COMPILER = ['--no-sparkplug', '--no-maglev'];

const FLAGS_OF_EVERY_SERVER = [
  ...COMPILE_SOON,
  ...ONE_COMPILER,
  '--no-allocation-site-pretenuring',
  '--v8-pool-size=2',
  '--disable-sigusr1',
];

/**
 * How early V8 collects garbage. On PostgreSQL, the statements and answers of many units are objects at the same time; if
 * there is little room for them, collecting them takes as long as the rest of a webhook. SQLite's are few.
 */
const ROOM_ON_SQLITE = ['--max-semi-space-size=2', '--heap-growing-percent=20'];
const ROOM_ON_POSTGRES = ['--max-semi-space-size=8', '--heap-growing-percent=50'];

/**
 * Node 24 otherwise collects no young garbage while it marks the old: 30 MB more on a busy machine. Node 22 does by default,
 * and Node 26 refuses the flag.
 */
const YOUNG_WHILE_MARKING = '--no-separate-gc-phases';

/**
 * Which walk over whole tables. With V8's default of 16 MB for young objects, an export on SQLite would take 100 MB more, the
 * others 10 to 30, and none of them less time.
 */
const LONG_COMMANDS: ReadonlySet<string> = new Set(['accounts', 'doctor', 'export', 'import', 'migrate', 'reencrypt']);
const FLAGS_OF_LONG_COMMANDS = ['--max-semi-space-size=4'];

/** Node's flags for a server on this database, in this version of Node. */
export function serverFlags(databaseUrl: string, { node }: { node: string } = process.versions): string[] {
  const room = /^postgres/.test(databaseUrl) ? ROOM_ON_POSTGRES : ROOM_ON_SQLITE;
  return [...room, ...(node.startsWith('24.') ? [YOUNG_WHILE_MARKING] : []), ...FLAGS_OF_EVERY_SERVER];
}

/**
 * glibc otherwise gives every thread that allocates a heap of its own, up to eight per core. What one of them has freed, the
 * others cannot use. And once it has freed a large buffer, it would take later ones of up to that size from a heap, whose memory
 * goes back to the system only from its end. With a fixed threshold, large buffers have memory of their own.
 */
const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };

/** Versions of Node that know every flag. Other versions might refuse to start. */
const MAJOR_VERSIONS: ReadonlySet<string> = new Set(['22', '24', '26']);

type StartedProcess = Pick<NodeJS.Process, 'argv' | 'execArgv' | 'env' | 'platform'> & {
  channel?: unknown;
  versions: { node: string };
};

/**
 * Gives a server or a long command its flags by replacing this process with one that has them: when flags are set later,
 * they affect memory that is already laid out differently, or not at all. Process id, standard streams, signals and exit
 * code stay the same. Returns when this process needs no replacement.
 */
export function restartWithFlags(): void {
  const { execve, execPath, execArgv, argv, env } = process;
  if (typeof execve !== 'function' || !lacksFlags(process)) return;
  try {
    const isServer = argv[2] === 'serve';
    const flags = isServer ? serverFlags(env.DATABASE_URL ?? databaseUrlOfFile()) : FLAGS_OF_LONG_COMMANDS;
    execve(execPath, [execPath, ...execArgv, ...flags, ...argv.slice(1)], { ...MALLOC, ...env });
  } catch {
    // not permitted here: it runs without them
  }
}

/**
 * True for a server or a long command that was started without any of the flags, with a Node that knows them, unless
 * replacing it would cut a channel to its parent process.
 */
export function lacksFlags({ argv, execArgv, env, channel, platform, versions }: StartedProcess): boolean {
  const [major = ''] = versions.node.split('.');
  const [, , command = '', ...words] = argv;
  // with more words, it only prints its help or what is wrong with them
  const isServer = command === 'serve' && words.every((word) => word === '--');
  if (!isServer && !LONG_COMMANDS.has(command)) return false;
  if (channel || platform === 'win32' || !MAJOR_VERSIONS.has(major)) return false;
  const given = new Set([...execArgv, ...(env.NODE_OPTIONS ?? '').split(/\s+/)].map(nameOf));
  return !serverFlags('', versions).some((flag) => given.has(nameOf(flag)));
}

/** What `.env` says, without setting its other variables: in the new process, a NODE_OPTIONS among them would count. */
function databaseUrlOfFile(): string {
  if (!existsSync('.env')) return '';
  return parseEnv(readFileSync('.env', 'utf8')).DATABASE_URL ?? '';
}

/** `--max_semi_space_size=8` is the same flag as `--max-semi-space-size=2`, and `--maglev` as `--no-maglev`. */
function nameOf(flag: string): string {
  return flag
    .replace(/=.*/, '')
    .replaceAll('_', '-')
    .replace(/^--no-/, '--');
}
