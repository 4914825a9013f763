import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { AuditedActor } from '../core/actor.ts';
import type { ApiKeyScope } from '../core/api-key-scope.ts';
import type { AccountId, OperatorId, SessionId } from '../core/ids.ts';
import type { OperatorRole } from '../core/operator.ts';
import type { ErrorCode } from '../errors.ts';
import type { MergePatch } from '../schema/merge-patch.ts';
import type { EmbedSession } from './embed-session.ts';
import type { OnProgress } from './on-progress.ts';
import type { Service } from './service.ts';

/**
 * The credential that a request must carry.
 * `api-key`: an active key of an account, or the session of one of its operators instead. Requests are rate-limited per
 * key or session.
 * `api-key-only`: an active key; for calls that only a backend makes.
 * `session`: the session of an operator; for actions that only a person may take.
 * `embed-token`: a token for one partner's portal, or the session of that partner instead.
 * `signature`: the processor's signature over the raw body, which the use case checks.
 * `public`: nothing.
 */
export type Credential = 'api-key' | 'api-key-only' | 'session' | 'embed-token' | 'signature' | 'public';

interface AccountCaller {
  accountId: AccountId;
  actor: AuditedActor;
}

/** A backend with an API key, or the command line on this database. */
export interface KeyCaller extends AccountCaller {
  scope: ApiKeyScope;
}

/** An operator who is signed in. */
export interface OperatorCaller extends AccountCaller {
  operatorId: OperatorId;
  sessionId: SessionId;
  role: OperatorRole;
}

/** The caller of a request, by its credential. */
export interface Callers {
  'api-key': KeyCaller | OperatorCaller;
  'api-key-only': KeyCaller;
  session: OperatorCaller;
  'embed-token': EmbedSession;
  signature: null;
  public: null;
}

/** What a route may need from the HTTP request besides its input. */
export interface RequestFacts {
  method: string;
  /** Path and query as sent. */
  url: string;
  headers: IncomingHttpHeaders;
  /** The client's address as reported by the trusted proxies. */
  address: string;
  /** True when a trusted proxy forwarded the request, so that its headers can be trusted. */
  isProxied: boolean;
}

export interface RouteContext<C extends Credential = Credential> {
  service: Service;
  caller: Callers[C];
  request: RequestFacts;
  onProgress?: OnProgress;
}

/** A JSON answer with a status other than the route's default, or with further headers; without a body for 204. */
export class Reply<Body = unknown> {
  readonly status: number;
  readonly body: Body;
  readonly headers: OutgoingHttpHeaders;

  constructor(status: number, body: Body, headers: OutgoingHttpHeaders = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** A non-JSON answer: a file, a page, a redirect. Async content is streamed. */
export class RawReply {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly content: string | Buffer | AsyncIterable<string | Uint8Array>;

  constructor(status: number, headers: OutgoingHttpHeaders, content: RawReply['content'] = '') {
    this.status = status;
    this.headers = headers;
    this.content = content;
  }
}

/** `/api/links/:id` → `{id: string}`. */
export type PathParameters<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [Key in Name]: string } & PathParameters<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { [Key in Name]: string }
    : unknown;

type Schema = z.ZodType | undefined;
type PatchSchema = z.ZodObject | undefined;
type OutputOf<S extends Schema> = S extends z.ZodType ? z.output<S> : undefined;

/** The parsed input of a route. */
export interface RouteInput<Path extends string, Query extends Schema, Body extends Schema, Patch extends PatchSchema> {
  parameters: PathParameters<Path>;
  query: OutputOf<Query>;
  body: OutputOf<Body>;
  /** The JSON Merge Patch as sent. */
  patch: Patch extends z.ZodObject ? MergePatch<z.output<Patch>> : undefined;
}

export interface OtherAnswer {
  status: number;
  description: string;
  schema?: z.ZodType;
  contentTypes?: readonly string[];
}

/** Declares one route. The HTTP server, the OpenAPI document, the client's types and the tests read it. */
export interface RouteDeclaration<
  C extends Credential,
  Path extends string,
  Query extends Schema,
  Body extends Schema,
  Patch extends PatchSchema,
  Answer extends Schema,
> {
  /** Unique, camelCase: `createLink`. */
  operationId: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: Path;
  credential: C;
  /** A chapter of the reference page. */
  tag: string;
  /** A few words: `Create a link`. */
  summary: string;
  description?: string;
  query?: Query;
  /** The JSON body; with `rawBody` the received bytes; with `largeBody` at most 2 MiB, not 64 KiB, but few a minute. */
  body?: Body;
  rawBody?: true;
  largeBody?: true;
  /** True when the body may be omitted; it is `{}` then. */
  bodyIsOptional?: boolean;
  /** The body is a JSON Merge Patch (RFC 7396) of this resource; the use case applies it and parses the result. */
  patch?: Patch;
  /** Whether unknown members of query and body are refused (the default) or ignored. */
  unknownMembers?: 'refuse' | 'ignore';
  /** The status of success: 200 by default, 204 without an `answer`. */
  status?: 200 | 201 | 202;
  /** The body of success; absent for 204 and for files. */
  answer?: Answer;
  /** Further answers that are not errors: a `Reply` has a schema, a `RawReply` content types. */
  otherAnswers?: readonly OtherAnswer[];
  /** The format of errors: JSON, text for routes that people open in a browser, or as the `dub` package expects them. */
  errorFormat?: 'json' | 'text' | 'dub';
  /** Error codes besides those that the credential and the input imply. */
  errors?: readonly ErrorCode[];
  /** The `Cache-Control` of every answer, including errors; `private, no-store` by default for a GET with a credential. */
  cacheControl?: string;
  /** Further headers of every answer. */
  headers?(baseUrl: string): Readonly<Record<string, string>>;
  /** Refuses a request before its body is read; for a route whose body a stranger could otherwise make the server hold. */
  admit?(service: Service, parameters: PathParameters<Path>): Promise<void>;
  /** When this returns false, the route does not match the request. */
  accepts?(parameters: PathParameters<Path>): boolean;
  /** The least scope that an API key needs: by default `read` for a GET, otherwise `full`. */
  scope?: ApiKeyScope;
  /** A GET on whose answer somebody acts, so that it never comes from a replica, which may lag. */
  reads?: 'primary';
  /** Limits the requests per client address. */
  limitByAddress?: true;
  /** The least role that a session needs: by default `viewer` to read, otherwise `member`. */
  role?: OperatorRole;
  /** Its name in the audit log: `partner.update`. What its use case notes is recorded under it, in its unit of work. */
  action?: string;
  /** A POST that changes nothing when repeated after a lost answer: always, or when the body has this member. */
  idempotent?: true | string;
  /** Refuses requests that come from a page of another origin; for routes that set or remove a cookie. */
  sameOrigin?: true;
  /** The route checks a guessable secret: limits attempts per client address, and per name when this returns one. */
  attemptedName?(input: RouteInput<Path, Query, Body, Patch>, caller: Callers[C]): string | null;
  /** Which origins may read the answer: any, or those that the token's program allows. */
  cors?: 'any' | 'portal';
  run(
    context: RouteContext<C>,
    input: RouteInput<Path, Query, Body, Patch>,
  ): Promise<(Answer extends z.ZodType ? z.input<Answer> : undefined) | Reply | RawReply>;
}

/** A route with the types of its input and answer erased. */
// biome-ignore lint/suspicious/noExplicitAny: a list of routes holds routes of every input and answer
export type Route = RouteDeclaration<Credential, string, any, any, any, any>;

/** Returns the declaration; exists only to infer its types. */
export function route<
  C extends Credential,
  const Path extends string,
  Query extends Schema = undefined,
  Body extends Schema = undefined,
  Patch extends PatchSchema = undefined,
  Answer extends Schema = undefined,
>(
  declaration: RouteDeclaration<C, Path, Query, Body, Patch, Answer>,
): RouteDeclaration<C, Path, Query, Body, Patch, Answer> {
  return declaration;
}

/** The least scope of an API key that may call the route. */
export function neededScope({ scope, method }: Pick<Route, 'scope' | 'method'>): ApiKeyScope {
  return scope ?? (method === 'GET' ? 'read' : 'full');
}
