/** The flags of `npm start`, which package.json contains; a test compares them. */
export const SERVER_FLAGS: readonly string[] = [
  '--max-semi-space-size=2',
  '--heap-growing-percent=20',
  '--no-maglev',
  '--no-allocation-site-pretenuring',
  '--v8-pool-size=2',
  '--disable-sigusr1',
];

/** Versions of Node that know every flag. Other versions might refuse to start. */
const MAJOR_VERSIONS: ReadonlySet<string> = new Set(['22', '24']);

type StartedProcess = Pick<NodeJS.Process, 'argv' | 'execArgv' | 'env' | 'platform'> & {
  channel?: unknown;
  versions: { node: string };
};

/**
 * Gives a server the flags of `npm start` by replacing this process with one that has them: when flags are set later,
 * they affect memory that is already laid out differently, or not at all. Process id, standard streams, signals and
 * exit code stay the same. Returns when this process needs no replacement.
 */
export function restartWithServerFlags(): void {
  const { execve, execPath, execArgv, argv, env } = process;
  if (typeof execve !== 'function' || !lacksServerFlags(process)) return;
  try {
    execve(execPath, [execPath, ...execArgv, ...SERVER_FLAGS, ...argv.slice(1)], env);
  } catch {
    // not permitted here: the server runs without them
  }
}

/**
 * True for a server that was started without any of the flags, with a Node that knows them, unless replacing it would
 * cut a channel to its parent process.
 */
export function lacksServerFlags({ argv, execArgv, env, channel, platform, versions }: StartedProcess): boolean {
  const [major = ''] = versions.node.split('.');
  if (argv[2] !== 'serve' || channel || platform === 'win32' || !MAJOR_VERSIONS.has(major)) return false;
  const given = new Set([...execArgv, ...(env.NODE_OPTIONS ?? '').split(/\s+/)].map(nameOf));
  return !SERVER_FLAGS.some((flag) => given.has(nameOf(flag)));
}

/** `--max_semi_space_size=8` is the same flag as `--max-semi-space-size=2`, and `--maglev` as `--no-maglev`. */
function nameOf(flag: string): string {
  return flag
    .replace(/=.*/, '')
    .replaceAll('_', '-')
    .replace(/^--no-/, '--');
}
