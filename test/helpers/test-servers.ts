import type { Route } from '../../src/app/route.ts';

/** By origin: the routes of a server that has additional ones; null for a stub. */
const servers = new Map<string, readonly Route[] | null>();

/** Registers a local server whose answers differ from the service's own routes. */
export function declareTestServer(url: string, routes: readonly Route[]): void {
  servers.set(new URL(url).origin, routes);
}

/** Registers a stub, whose answers its test defines. */
export function declareStub(url: string): void {
  servers.set(new URL(url).origin, null);
}

export function isTestServer(origin: string): boolean {
  return servers.get(origin) !== null;
}

/** Null for a server with only the service's own routes. */
export function routesAt(origin: string): readonly Route[] | null {
  return servers.get(origin) ?? null;
}
