import type { IncomingMessage, ServerResponse } from 'node:http';
import { auditedService } from '../accounts/audit-log.ts';
import { admitting, requireStillAllowed } from '../accounts/still-allowed.ts';
import type { Callers, Credential, Route } from '../app/route.ts';
import { parseLargeRouteInput, parseRouteInput } from '../app/route-input.ts';
import type { Service } from '../app/service.ts';
import { type WatchedRequest, watchWrites } from '../app/stored-before-failing.ts';
import { limitByAddress } from './address-limit.ts';
import { headersOf, sendAnswer, setRouteHeaders } from './answers.ts';
import { limitAttempts } from './attempt-limit.ts';
import { apiKeyAuthentication, embedTokenAuthentication, requireScope } from './authentication.ts';
import type { BodyRoom, Place } from './body-room.ts';
import type { IsTrustedProxy } from './client-address.ts';
import { CrossOrigin } from './cors.ts';
import { answerError, type FailedExchange } from './errors.ts';
import { readJsonBody } from './json-body.ts';
import { limitPartners } from './partner-limit.ts';
import { limitRequests, type RequestCounter } from './rate-limit.ts';
import { readRawBody } from './raw-body.ts';
import { type ReplicaReports, replicaReports } from './replica-reports.ts';
import { HttpRequestFacts } from './request-facts.ts';
import { refuseForeignPage } from './same-origin.ts';
import { accountAuthentication, operatorAuthentication } from './session-authentication.ts';
import { whileAllowed } from './still-allowed-chunks.ts';

export interface HandlerParts {
  service: Service;
  counter: RequestCounter;
  isTrusted: IsTrustedProxy;
  room: BodyRoom;
}

/** A request, matched to a route. */
export interface MatchedRequest {
  request: IncomingMessage;
  response: ServerResponse;
  parameters: Readonly<Record<string, string>>;
  query: unknown;
}

/** Answers a request with a route, errors included. Never rejects. */
export type HandleRoute = (route: Route, matched: MatchedRequest) => Promise<void>;

/** Handles every route alike: first the credential and limits, then the body, the input and the use case. */
export function createRouteHandler({ service, counter, isTrusted, room }: HandlerParts): HandleRoute {
  const crossOrigin = new CrossOrigin(service);
  const authenticateKey = apiKeyAuthentication(service, limitRequests(service, counter));
  const authenticateAccount = accountAuthentication(service, counter, authenticateKey);
  const authenticateOperator = operatorAuthentication(service, counter, authenticateKey);
  const authenticateToken = embedTokenAuthentication(service, limitPartners(counter));
  const limitAddress = limitByAddress();
  const attempts = limitAttempts(service, counter);
  const reports = replicaReports(service);

  async function callerOf(route: Route, request: IncomingMessage, response: ServerResponse) {
    switch (route.credential) {
      case 'api-key':
        return authenticateAccount(route, request, response);
      case 'api-key-only':
        return authenticateKey(request, response);
      case 'session':
        return authenticateOperator(route, request, response);
      case 'embed-token': {
        const session = await authenticateToken(request, response).catch(async (error: unknown) => {
          await crossOrigin.allowRejection(request, response);
          throw error;
        });
        await crossOrigin.requireAllowed(request, response, session);
        return session;
      }
      case 'signature':
      case 'public':
        return null;
    }
  }

  async function run(
    route: Route,
    { request, response, parameters, query }: MatchedRequest,
    exchange: FailedExchange,
    place: Place,
  ): Promise<unknown> {
    crossOrigin.setOriginHeaders(route, response);
    setRouteHeaders(headersOf(route, service.baseUrl), response);
    const facts = new HttpRequestFacts(request, isTrusted);
    if (route.limitByAddress) await limitAddress(facts.address, response);
    if (route.sameOrigin) refuseForeignPage(request, service.baseUrl);
    if (route.attemptedName) await attempts.byAddress(facts.address);
    const caller = await callerOf(route, request, response);
    exchange.isStranger = caller === null;
    if (caller !== null && 'scope' in caller) requireScope(route, caller);
    await route.admit?.(service, parameters);
    const raw = { parameters, query, body: await bodyOf(route, request, { service, caller, place }) };
    const input = route.largeBody ? await parseLargeRouteInput(route, raw) : parseRouteInput(route, raw);
    const attempted = route.attemptedName?.(input, caller) ?? null;
    if (attempted !== null) await attempts.byName(attempted);
    const watched = watch(route, caller, { service, reports });
    const running = route.run({ service: watched.service, caller, request: facts }, input);
    const result = await running
      .catch((thrown: unknown) => {
        throw watched.errorFor(thrown);
      })
      // also after a failure: a change may be stored although its answer was lost
      .finally(() => reports.ended(route, caller));
    return whileAllowed(service, caller, result);
  }

  return async (route, matched) => {
    const { request, response } = matched;
    const exchange: FailedExchange = { request, response, route, isStranger: true };
    const place = room.place();
    try {
      const result = await run(route, matched, exchange, place).finally(() => place.leave());
      await sendAnswer(route, response, result);
    } catch (error) {
      answerError(service, error, exchange);
    }
  };
}

/** Records the changes made by a route that names its action. */
function watch(
  route: Route,
  caller: Callers[Credential],
  { service, reports }: { service: Service; reports: ReplicaReports },
): WatchedRequest {
  const { action, method } = route;
  if (action !== undefined && caller !== null && 'actor' in caller) {
    return watchWrites(auditedService(service, { ...caller, action }, admitting(service, caller)));
  }
  const unaudited = reports.serviceFor(route, caller);
  // processors send every delivery again that is not acknowledged, and none counts twice
  const isRepeatable = method === 'GET' || caller === null;
  return isRepeatable ? { service: unaudited, errorFor: (thrown) => thrown } : watchWrites(unaudited);
}

/** Node waits up to 15 s for a body, in which its sender may lose the right to send it. */
const SLOW_BODY_MS = 250;

/** A webhook cannot follow it. */
const ADVICE_FOR_FILES = 'the file of an import is sent in parts';

/**
 * Reads and checks a body even for routes without one, so that the connection stays usable.
 *
 * @throws ServiceError `UNAUTHORIZED` when the caller may no longer send it after it took long
 */
async function bodyOf(
  route: Route,
  request: IncomingMessage,
  { service, caller, place }: { service: Service; caller: Callers[Credential]; place: Place },
): Promise<unknown> {
  const startedAt = performance.now();
  const readRaw = () => readRawBody(request, place, route.credential === 'signature' ? undefined : ADVICE_FOR_FILES);
  const body = await (route.rawBody ? readRaw() : readJsonBody(request, route.largeBody, place));
  if (performance.now() - startedAt > SLOW_BODY_MS) await requireStillAllowed(service, caller);
  return body;
}
