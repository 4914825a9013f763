// JavaScript that Node 12 can read, because an older Node stops at TypeScript and at what it does not know of Node's modules.

const OLDEST = 24;

/**
 * A sentence for whoever starts the program with an older Node; null if it is new enough.
 *
 * @param {string} version as in `process.versions.node`
 * @param {string} path of the executable
 */
export function oldNodeProblem(version, path) {
  if (Number(version.split('.')[0]) >= OLDEST) return null;
  return (
    `Refbridge needs Node ${OLDEST} or later, but ${path} is Node ${version}. ` +
    `Install a newer one (https://nodejs.org); in a clone, "npm ci" brings it, and "npm run …" then uses it.`
  );
}

/** Ends a process of an older Node with exit code 4 and that sentence. */
export function requireNode() {
  const problem = oldNodeProblem(process.versions.node, process.execPath);
  if (problem === null) return;
  process.stderr.write(`${problem}\n`);
  process.exit(4);
}
