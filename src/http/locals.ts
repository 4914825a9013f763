import type { Response } from 'express';
import type { ApiKeyIdentity } from '../accounts/api-keys.ts';

/** What the frame knows of the request under way, kept with its response. */
interface Locals {
  apiKey?: ApiKeyIdentity;
  route?: { group: object; pattern: string };
  allowed?: string[];
}

function localsOf(response: Response): Locals {
  return response.locals;
}

export function setApiKey(response: Response, apiKey: ApiKeyIdentity): void {
  localsOf(response).apiKey = apiKey;
}

/** @throws Error on a route that is not behind an API key: a bug of ours */
export function apiKeyOf(response: Response): ApiKeyIdentity {
  const { apiKey } = localsOf(response);
  if (apiKey === undefined) throw new Error('This route is not behind an API key');
  return apiKey;
}

/** The id of the account whose API key the request carried. */
export function accountOf(response: Response): string {
  return apiKeyOf(response).accountId;
}

/** Remembers which group's route takes the request. */
export function markRoute(response: Response, group: object, pattern: string): void {
  localsOf(response).route = { group, pattern };
}

export function isTakenBy(response: Response, group: object): boolean {
  return localsOf(response).route?.group === group;
}

/** The pattern of the route that took the request (`/api/programs/:id`), undefined where none did. */
export function routeOf(response: Response): string | undefined {
  return localsOf(response).route?.pattern;
}

/** Adds to the methods that the requested path would take, and answers all of them so far. */
export function allowMethods(response: Response, methods: readonly string[]): string[] {
  const locals = localsOf(response);
  locals.allowed = [...new Set([...(locals.allowed ?? []), ...methods])];
  return locals.allowed;
}
