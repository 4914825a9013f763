/** Deeper than any resource is: what a patch holds below replaces instead of being merged, and is refused or dropped. */
const DEPTH_MAX = 8;

/**
 * JSON Merge Patch (RFC 7396): members of `patch` take the place of those of `target`, objects are merged member by
 * member, null removes. Neither argument is changed.
 */
export function mergePatch(target: unknown, patch: unknown, depth = 0): unknown {
  if (!isObject(patch) || depth === DEPTH_MAX) return patch;
  const members = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, mergePatch(members.get(name), value, depth + 1));
  }
  return Object.fromEntries(members);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
