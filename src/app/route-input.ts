import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { requireNoNul } from '../schema/no-nul.ts';
import { parseInput, parsePatch } from '../schema/parse.ts';
import { parseLargeInput } from '../schema/parse-large.ts';
import type { Route } from './route.ts';

/** A route without query parameters also refuses unknown ones. */
const NO_PARAMETERS = z.object({});

export interface RawInput {
  parameters?: Readonly<Record<string, string>>;
  query?: unknown;
  body?: unknown;
}

/**
 * Parses the input with the route's schemas.
 *
 * @throws ServiceError `VALIDATION_ERROR` with every problem at once, and for a NUL anywhere in query and body;
 *   `NOT_FOUND` for a NUL in the path. PostgreSQL refuses to store a NUL, and even to compare with one
 */
export function parseRouteInput(route: Route, { parameters = {}, query = {}, body }: RawInput) {
  if (Object.values(parameters).some((value) => value.includes('\0'))) {
    throw new ServiceError('NOT_FOUND', 'There is nothing here: no id contains NUL');
  }
  if (!route.rawBody) requireNoNul(body);
  requireNoNul(query);
  const unknown = route.unknownMembers ?? 'refuse';
  const bodyOrEmpty = route.bodyIsOptional ? (body ?? {}) : body;
  return {
    parameters,
    query: parseInput(route.query ?? NO_PARAMETERS, query, { unknown }),
    body: route.rawBody ? body : route.body && parseInput(route.body, bodyOrEmpty, { unknown }),
    patch: route.patch && parsePatch(route.patch, bodyOrEmpty),
  };
}

/**
 * As `parseRouteInput`, for a route with `largeBody`, whose body is required and may have no unknown members: other requests
 * have their turn while it is checked.
 *
 * @throws ServiceError as `parseRouteInput`
 */
export async function parseLargeRouteInput(route: Route, { body, ...raw }: RawInput) {
  const input = parseRouteInput({ ...route, body: undefined }, raw);
  requireNoNul(body);
  await yieldToEventLoop();
  return { ...input, body: await parseLargeInput(route.body, body) };
}
