// JavaScript that Node 12 can read, because an older Node stops at TypeScript and at unknown parts of Node's modules.

import { existsSync } from 'node:fs';

/** The sources are TypeScript, and are started with flags that an older Node refuses. */
const OLDEST_FOR_SOURCES = '24';
/** The published package is JavaScript; older versions lack what its dependencies need. */
const OLDEST_FOR_PACKAGE = '22.12';

/**
 * A sentence for a person who starts the program with an older Node; null if it is new enough.
 *
 * @param {string} version as in `process.versions.node`
 * @param {string} path of the executable
 * @param {string} oldest the oldest version that works: `22.12`
 */
export function oldNodeProblem(version, path, oldest = OLDEST_FOR_SOURCES) {
  const [major, minor] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor = 0] = oldest.split('.').map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return null;
  return (
    `Refbridge needs Node ${oldest} or later, but ${path} is Node ${version}. ` +
    `Install a newer one (https://nodejs.org); in a clone, "npm ci" without --ignore-scripts installs it, and ` +
    '"npm run …" then uses it.'
  );
}

/** Ends a process of an older Node with exit code 4 and that sentence. */
export function requireNode() {
  const isSource = existsSync(new URL('./index.ts', import.meta.url));
  const oldest = isSource ? OLDEST_FOR_SOURCES : OLDEST_FOR_PACKAGE;
  const problem = oldNodeProblem(process.versions.node, process.execPath, oldest);
  if (problem === null) return;
  process.stderr.write(`${problem}\n`);
  process.exit(4);
}
