import type { Route } from '../app/route.ts';

/**
 * The routes by path. `/api/payouts/run` comes before `/api/payouts/:id`, so that a fixed segment never matches as a
 * parameter.
 *
 * @throws Error for two paths that differ only in the name of a parameter: one would shadow the other's methods
 */
export function routesByPath(routes: readonly Route[]): ReadonlyMap<string, readonly Route[]> {
  const byPath = Map.groupBy([...routes].sort(bySpecificity), ({ path }) => path);
  const byShape = new Map<string, string>();
  for (const path of byPath.keys()) {
    const shape = path.replaceAll(/:[^/]+/g, ':');
    const other = byShape.get(shape);
    if (other !== undefined)
      throw new Error(`${path} and ${other} are the same path: give their parameters the same names`);
    byShape.set(shape, path);
  }
  return byPath;
}

function bySpecificity({ path: a }: Pick<Route, 'path'>, { path: b }: Pick<Route, 'path'>): number {
  const [left, right] = [a.split('/'), b.split('/')];
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const difference = Number(isParameter(left[index])) - Number(isParameter(right[index]));
    if (difference !== 0) return difference;
  }
  // otherwise a path would equal two others that differ from each other, and no order would be correct
  return left.length - right.length;
}

function isParameter(segment = ''): boolean {
  return segment.startsWith(':');
}
