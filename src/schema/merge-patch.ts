import type { z } from 'zod';
import { isObject } from './is-object.ts';
import { parseOrRefuse } from './parse.ts';
import { unknownMembers } from './unknown-members.ts';

/**
 * Deeper than any resource. Beyond this depth, a patch replaces instead of merging, and validation refuses or drops the
 * result.
 */
const DEPTH_MAX = 8;

/**
 * JSON Merge Patch (RFC 7396): members of `patch` replace those of `target`, objects merge member by member, null
 * removes. Neither argument is modified.
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

/** A JSON Merge Patch of an object: some of its members; null resets a member to its default. */
export type MergePatch<Input> = { readonly [Name in keyof Input]?: unknown };

/**
 * Applies a JSON Merge Patch: merges it into the members of the resource that the schema knows, and parses the result.
 * When the patch switches a member to another alternative of a union, the members left from the old one are dropped.
 *
 * @throws ServiceError `VALIDATION_ERROR` with every problem at once
 */
export function applyPatch<Schema extends z.ZodObject>(
  schema: Schema,
  current: object,
  patch: MergePatch<z.output<Schema>>,
): z.output<Schema> {
  const members = Object.entries(current).filter(([name]) => name in schema.shape);
  const merged = mergePatch(Object.fromEntries(members), patch);
  const unknowns = unknownMembers(schema, merged).filter(({ path }) => isInPatch(patch, path.split('.')));
  return parseOrRefuse(schema, merged, unknowns);
}

function isInPatch(patch: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  return isObject(patch) && Object.hasOwn(patch, name) && isInPatch(Reflect.get(patch, name), rest);
}
