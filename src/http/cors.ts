import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Callers, Route } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { ServiceError } from '../errors.ts';
import { isPortalOrigin, isProgramOrigin } from '../programs/portal-config.ts';
import { isFromOwnPage } from './same-origin.ts';

/** How long a browser may cache a preflight. */
const PREFLIGHT_SECONDS = { any: 86_400, portal: 600 };

/**
 * Decides which origins may read an answer.
 * `any`: every origin, errors included; such an answer contains no credential and nothing but an id.
 * `portal`: the origins that the token's program allows, and the service's own.
 */
export class CrossOrigin {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Sets the headers that do not depend on the caller. Call it before any check, so that errors carry them, too. */
  setOriginHeaders({ cors }: Route, response: ServerResponse): void {
    if (cors === 'any') {
      response.setHeader('Access-Control-Allow-Origin', '*');
      exposeRetryTime(response);
    }
    // a cache must not serve an answer for one origin to another
    if (cors === 'portal') response.appendHeader('Vary', 'Origin');
  }

  /** For a rejected token: lets the page distinguish an expired token, which it renews, from a network error. */
  async allowRejection({ headers: { origin } }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (origin !== undefined && (await isPortalOrigin(this.#service, origin))) allowOrigin(response, origin);
  }

  /** @throws ServiceError `ORIGIN_NOT_ALLOWED` for an origin that the token's program does not allow */
  async requireAllowed(
    request: IncomingMessage,
    response: ServerResponse,
    { programId }: Callers['embed-token'],
  ): Promise<void> {
    const { origin } = request.headers;
    if (origin === undefined || origin === this.#service.baseUrl) return;
    // the portal itself, where the service is reached under a name other than BASE_URL
    if (isFromOwnPage(request, this.#service.baseUrl)) return;
    if (!(await isProgramOrigin(this.#service, programId, origin))) throw originNotAllowed(origin);
    allowOrigin(response, origin);
  }

  /**
   * Answers a preflight. It carries no token, so `portal` allows every origin that any program allows.
   *
   * @throws ServiceError `ORIGIN_NOT_ALLOWED`
   */
  async answerPreflight(
    cors: 'any' | 'portal',
    methods: readonly string[],
    { headers: { origin } }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (cors === 'any') response.setHeader('Access-Control-Allow-Origin', '*');
    else response.appendHeader('Vary', 'Origin');
    if (cors === 'any' || origin !== undefined) {
      if (cors === 'portal' && origin !== undefined) await this.#allowKnown(origin, response);
      response.setHeader('Access-Control-Allow-Methods', methods.join(', '));
      response.setHeader('Access-Control-Allow-Headers', allowedHeaders(cors, methods));
      response.setHeader('Access-Control-Max-Age', String(PREFLIGHT_SECONDS[cors]));
    }
    response.writeHead(204).end();
  }

  async #allowKnown(origin: string, response: ServerResponse): Promise<void> {
    const isKnown = origin === this.#service.baseUrl || (await isPortalOrigin(this.#service, origin));
    if (!isKnown) throw originNotAllowed(origin);
    allowOrigin(response, origin);
  }
}

/** A body makes the browser ask for its content type. */
function allowedHeaders(cors: 'any' | 'portal', methods: readonly string[]): string {
  if (cors === 'any') return 'Content-Type';
  return methods.includes('PUT') ? 'Authorization, Content-Type' : 'Authorization';
}

/** Allows exactly this origin, without credentials: tokens travel in a header, never in a cookie. */
function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('Access-Control-Allow-Origin', origin);
  exposeRetryTime(response);
}

/** Pages see no header of another origin that is not named. */
function exposeRetryTime(response: ServerResponse): void {
  response.setHeader('Access-Control-Expose-Headers', 'Retry-After');
}

function originNotAllowed(origin: string): ServiceError {
  return new ServiceError('ORIGIN_NOT_ALLOWED', `${JSON.stringify(origin)} is not among the program's allowedOrigins`);
}
