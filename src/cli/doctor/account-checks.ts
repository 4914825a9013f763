import { guides } from '../../../adapters/guides.ts';
import { listAccounts } from '../../accounts/accounts.ts';
import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import { endpointListQuery } from '../../deliveries/endpoint-api.ts';
import type { EndpointResource } from '../../deliveries/endpoint-schemas.ts';
import { getEndpointSecrets, listEndpoints } from '../../deliveries/endpoints.ts';
import { listRefusals } from '../../deliveries/refusals.ts';
import { type CountWithReason, summarizeUnprocessed } from '../../inbox/unprocessed.ts';
import { linkDomains } from '../../links/domains.ts';
import { hostOf } from '../../links/new-link.ts';
import { findFailedPayments } from '../../payments/attribute-due.ts';
import { parseInput } from '../../schema/parse.ts';
import { countShownSecrets } from '../endpoint-options.ts';
import { missingSecret } from '../missing-secret.ts';
import { type Audited, type AuditOptions, auditAccount } from './audit-account.ts';
import { type Check, type CheckedAccount, failed, passed, warned } from './check.ts';
import { eventChecks } from './event-checks.ts';
import { listAll } from './list-all.ts';
import { portalChecks } from './portal-checks.ts';
import { transferChecks } from './transfer-checks.ts';

/** A retry that is overdue by more than this means that no server is running. */
const OVERDUE_MS = 60_000;
const FAILED_SHOWN = 10;

/** Checks the endpoints, deliveries, links, payouts that are sent, and ledger of every account. */
export async function accountChecks(service: Service, options: AuditOptions = {}): Promise<Check[]> {
  const accounts = await listAccounts(service);
  if (accounts.length === 0) {
    return [warned('accounts', 'there is none yet', 'Run `refbridge setup` to create one with its API key.')];
  }
  const checks = [passed('accounts', accounts.map(({ name }) => name).join(', '))];
  for (const account of accounts) {
    // what to add to a command in which no id tells whose it is
    const option = accounts.length > 1 ? ` --account ${account.id}` : '';
    checks.push(
      ...(await endpointChecks(service, account, option)),
      ...(await deliveryChecks(service, account, option)),
      ...(await parkedChecks(service, account)),
      ...(await linkChecks(service, account)),
      ...(await portalChecks(service, account)),
      ...(await eventChecks(service, account)),
      ...(await transferChecks(service, account, option)),
    );
    const audited = await auditAccount(service, account, options);
    checks.push(ledgerCheck(account, audited), resultsCheck(account, audited));
  }
  return checks;
}

async function endpointChecks(
  service: Service,
  { id: accountId, name }: CheckedAccount,
  option: string,
): Promise<Check[]> {
  const endpoints = await listAll((query) => listEndpoints(service, accountId, parseInput(endpointListQuery, query)));
  if (endpoints.length === 0) {
    return [
      warned(
        'endpoints',
        `${name} has none`,
        `Run \`refbridge endpoints create${option}\`, or report sales through the API only.`,
      ),
    ];
  }
  return Promise.all(endpoints.map((endpoint) => endpointCheck(service, accountId, endpoint)));
}

async function endpointCheck(service: Service, accountId: AccountId, endpoint: EndpointResource): Promise<Check> {
  const { id, processor, lastDeliveryAt } = endpoint;
  const check = `endpoint ${id}`;
  if (countShownSecrets(endpoint) === 0) {
    const { what, command } = missingSecret(processor, id);
    return failed(check, `${processor} has no secret, so every delivery is refused`, `Set ${what}: \`${command}\`.`);
  }
  try {
    await getEndpointSecrets(service, accountId, id);
  } catch {
    const advice = 'Add the key that encrypted them to SECRET_KEY_FALLBACKS, or enter the secrets again.';
    return failed(check, `the secrets of ${processor} cannot be decrypted with this SECRET_KEY`, advice);
  }
  const [latest] = (await listRefusals(service, accountId, id)).data;
  if (latest !== undefined && (lastDeliveryAt === null || latest.lastRefusedAt > lastDeliveryAt)) {
    const message = `${processor} delivered at ${latest.lastRefusedAt}, and that was refused: ${latest.reason}`;
    return warned(check, message, `${latest.advice}${bookingAdvice(endpoint, latest.firstRefusedAt)}`);
  }
  if (lastDeliveryAt !== null) return passed(check, `last delivery of ${processor} at ${lastDeliveryAt}`);
  const { name, place } = guides[processor];
  const test = `refbridge trigger ${processor} <event> --endpoint ${id}`;
  const advice = `Enter ${endpoint.url} at ${name}: ${place}. Test it with \`${test}\`.`;
  return warned(check, `${processor} has delivered nothing yet`, advice);
}

/** What was refused may be given up by now. Empty for a processor whose API has no list of it. */
function bookingAdvice({ id, processor }: EndpointResource, since: string): string {
  if ('unavailable' in guides[processor].backfill) return '';
  return ` Then book what was refused: \`refbridge reconcile ${id} --since ${since.slice(0, 10)}\`.`;
}

async function deliveryChecks(
  service: Service,
  { id: accountId, name }: CheckedAccount,
  option: string,
): Promise<Check[]> {
  const {
    failed: waiting,
    overdue,
    dead,
  } = await summarizeUnprocessed(service, accountId, service.clock() - OVERDUE_MS);
  const checks: Check[] = [];
  if (overdue.count > 0) {
    const advice = 'A running server retries automatically: check that one is running, and read its log.';
    checks.push(failed('deliveries', `${name}: ${overdue.count} overdue; ${reasonOf(overdue)}`, advice));
  }
  if (dead.count > 0) {
    const list = `refbridge deliveries list --status dead${option}`;
    const advice = `Fix the cause, then run \`refbridge deliveries retry <id>…\`; \`${list}\` lists them.`;
    checks.push(failed('deliveries', `${name}: ${dead.count} given up; ${reasonOf(dead)}`, advice));
  }
  if (waiting.count > overdue.count) {
    const advice = `They are retried automatically; see \`refbridge deliveries list --status failed${option}\`.`;
    const message = `${name}: ${waiting.count - overdue.count} failed and will be retried; ${reasonOf(waiting)}`;
    checks.push(warned('deliveries', message, advice));
  }
  return checks.length > 0 ? checks : [passed('deliveries', `${name}: none failed`)];
}

async function parkedChecks(service: Service, { id: accountId, name }: CheckedAccount): Promise<Check[]> {
  const ids = await findFailedPayments(service, accountId, FAILED_SHOWN);
  const [first] = ids;
  if (first === undefined) return [];
  const message = `${name}: payments whose customer is known stay parked, the first: ${ids.join(', ')}`;
  const advice =
    `Attribute each by hand: \`refbridge parked attribute ${first} --customer <id>\`. If that fails, its error says why; ` +
    "so may the server's log: `a payment whose customer is known stays parked`.";
  return [failed('parked payments', message, advice)];
}

function reasonOf({ reason }: CountWithReason): string {
  return `reason of the newest: ${reason ?? 'unknown'}`;
}

function ledgerCheck({ name }: CheckedAccount, { sales, partners }: Audited): Check {
  const count = sales.count + partners.count;
  const first = sales.first ?? partners.first;
  if (first === null) return passed('ledger', `${name}: sales and payouts agree with their entries`);
  const advice = 'Pay nothing until this is understood: keep a copy (`refbridge backup`) and report it.';
  return failed('ledger', `${name}: ${count} disagree with their entries, the first: ${first}`, advice);
}

function resultsCheck({ name }: CheckedAccount, { results: { count, first } }: Audited): Check {
  if (first === null) return passed('results', `${name}: the results per day agree with clicks, leads and sales`);
  const advice = 'Reports show wrong figures; commissions and payouts do not depend on them. Please report it.';
  return failed('results', `${name}: ${count} days are wrong, the first: ${first}`, advice);
}

async function linkChecks(service: Service, { id: accountId, name }: CheckedAccount): Promise<Check[]> {
  const domains = await linkDomains(service, accountId);
  const ownHost = hostOf(service.baseUrl);
  const foreign = domains.map(({ domain }) => domain).filter((domain) => domain !== ownHost);
  if (foreign.length === 0) {
    const count = domains.reduce((sum, domain) => sum + domain.count, 0);
    return [passed('links', `${name}: ${count}, all on ${ownHost}`)];
  }
  const advice =
    'They only work if these domains lead to this server. ' +
    `To move a link: \`refbridge links update <id> --domain ${ownHost}\`. If ${ownHost} is not its name, set BASE_URL.`;
  return [warned('links', `${name}: some are on ${foreign.join(', ')}, not on ${ownHost} (BASE_URL)`, advice)];
}
