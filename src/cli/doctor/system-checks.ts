import { z } from 'zod';
import { OpenIdFailure } from '../../accounts/open-id-failure.ts';
import { discoverProvider } from '../../accounts/open-id-provider.ts';
import { CALLBACK_PATH } from '../../accounts/single-sign-on.ts';
import { hasSoundCollation } from '../../app/collation.ts';
import { isDurable, readinessOf, SWITCH_ON } from '../../app/readiness.ts';
import type { Service } from '../../app/service.ts';
import type { Config } from '../../process/config.ts';
import { type Check, failed, passed, warned } from './check.ts';

const SERVER_TIMEOUT_MS = 3_000;
const readinessSchema = z.object({ status: z.string(), problems: z.array(z.string()) });
const NO_ANSWER =
  'no answer within 3 s. If others reach it, this machine cannot reach its own public address: a firewall, or a router ' +
  'without hairpin NAT';
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no address is known for this name (DNS)',
  EAI_AGAIN: 'the name server does not answer (DNS)',
  ECONNREFUSED: 'the connection was refused, so nothing listens there',
  ECONNRESET: 'the connection was cut',
  EHOSTUNREACH: 'the address cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: NO_ANSWER,
  UND_ERR_CONNECT_TIMEOUT: NO_ANSWER,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it speaks http, not https',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
};
const CLOCK_TOLERANCE_SECONDS = 5;

/** Checks that the database answers, is durable, and has the schema of this version. */
export async function databaseChecks(service: Service, config: Config): Promise<Check[]> {
  const { database } = service;
  const { checks, problems } = await readinessOf(database);
  const place = config.database.engine === 'sqlite' ? config.database.path : 'PostgreSQL';
  if (checks.database === 'failed') {
    return [failed('database', `${place} does not answer`, 'Check that it is running, and check DATABASE_URL.')];
  }
  return [
    passed('database', `${place} answers`),
    isDurable(checks.synchronous)
      ? passed('durability', `synchronous is ${checks.synchronous}`)
      : failed(
          'durability',
          `synchronous is ${checks.synchronous}: a power cut may lose acknowledged sales`,
          SWITCH_ON,
        ),
    checks.migrations === 'ok'
      ? passed('migrations', `the schema has version ${database.schemaVersion}`)
      : failed('migrations', problems.join('; '), 'Restart the server, which applies the missing migrations.'),
    ...(await collationChecks(service)),
  ];
}

/** Databases that earlier versions have created may have such a collation. */
async function collationChecks(service: Service): Promise<Check[]> {
  if (await hasSoundCollation(service)) return [];
  const message =
    'the database sorts two letters as one, as Danish does, so rows are listed, searched and deleted in the wrong order';
  const advice =
    "Create a database with LC_COLLATE 'C', and move the accounts with `refbridge export` and `refbridge import refbridge`.";
  return [failed('collation', message, advice)];
}

/** Checks that the server answers at BASE_URL, and that its clock agrees with this machine's. */
export async function serverChecks(config: Config): Promise<Check[]> {
  const url = `${config.baseUrl}/health/ready`;
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(SERVER_TIMEOUT_MS) });
    return [await serverCheck(url, response), clockCheck(response.headers.get('date'))];
  } catch (error) {
    return [
      warned(
        'server',
        `nothing answers at ${url}: ${reasonOf(error)}`,
        'Start the server (`refbridge serve`), or set BASE_URL to its address.',
      ),
    ];
  }
}

async function serverCheck(url: string, response: Response): Promise<Check> {
  const { status, headers } = response;
  const { data: readiness } = readinessSchema.safeParse(await response.json().catch(() => null));
  if (status >= 300 && status < 400) {
    return failed('server', `${url} redirects to ${headers.get('location')}`, 'Set BASE_URL to the address behind it.');
  }
  if (readiness === undefined) {
    return failed('server', `${url} answers ${status}, but not as Refbridge does`, 'Check BASE_URL, and the proxy.');
  }
  if (status === 200) return passed('server', `${url} reports that it is ready`);
  const reasons = readiness.problems.length === 0 ? ['it is stopping'] : readiness.problems;
  return failed('server', `${url} answers ${status}: ${reasons.join('; ')}`, "See the server's log.");
}

/** Checks that the OpenID provider describes itself, where one is configured. */
export async function singleSignOnChecks({ singleSignOn, baseUrl }: Config): Promise<Check[]> {
  if (singleSignOn === null) return [];
  const { issuer } = singleSignOn;
  try {
    await discoverProvider(singleSignOn);
    const redirectUri = baseUrl + CALLBACK_PATH;
    return [passed('single sign-on', `${issuer} describes itself; its redirect URI must be ${redirectUri}`)];
  } catch (error) {
    if (!(error instanceof OpenIdFailure)) throw error;
    return [
      failed(
        'single sign-on',
        `${issuer} cannot be used: ${error.message}`,
        'Compare OIDC_ISSUER with the issuer in its /.well-known/openid-configuration, and let this machine reach it. ' +
          'docs/operations.md says what a provider must support.',
      ),
    ];
  }
}

/** Why no answer came. If a name has several addresses, each of them has a reason: this is the first one. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = first instanceof Error && 'code' in first ? String(first.code) : '';
  if (error instanceof Error && error.name === 'TimeoutError') return NO_ANSWER;
  return REASONS[code] ?? (first instanceof Error ? first.message : String(error));
}

/** Signatures contain the processor's time, so our clock must be right. */
function clockCheck(dateHeader: string | null): Check {
  const seconds = dateHeader === null ? Number.NaN : Math.abs(Date.now() - Date.parse(dateHeader)) / 1000;
  if (Number.isNaN(seconds))
    return warned('clock', 'the response has no Date header', 'Check what answers at BASE_URL.');
  if (seconds <= CLOCK_TOLERANCE_SECONDS) return passed('clock', 'this machine and the server agree');
  return failed(
    'clock',
    `this machine and the server are ${Math.round(seconds)} s apart`,
    'Synchronize both by NTP: a signature from more than 300 s ago, or ahead, is refused.',
  );
}
