import { listAccounts } from '../../accounts/accounts.ts';
import type { Service } from '../../app/service.ts';
import { checkLedger } from '../../audit/ledger.ts';
import { type EndpointResource, getEndpointSecrets, listEndpoints } from '../../deliveries/endpoints.ts';
import { type DeliveryResource, listDeliveries } from '../../inbox/list.ts';
import { listLinks } from '../../links/links.ts';
import { allPages } from './all-pages.ts';
import { type Check, failed, passed, warned } from './check.ts';

type Account = Awaited<ReturnType<typeof listAccounts>>[number];

/** An attempt that is late by so much was not made by a running server. */
const OVERDUE_MS = 60_000;

/** What is wrong with the endpoints, deliveries, links and ledger of every account. */
export async function accountChecks(service: Service): Promise<Check[]> {
  const accounts = await listAccounts(service);
  if (accounts.length === 0) {
    return [warned('accounts', 'there is none yet', 'Run `refbridge setup`: it makes one and its API key.')];
  }
  const checks = [passed('accounts', accounts.map(({ name }) => name).join(', '))];
  for (const account of accounts) {
    checks.push(
      ...(await endpointChecks(service, account)),
      ...(await deliveryChecks(service, account)),
      ...(await linkChecks(service, account)),
      await ledgerCheck(service, account),
    );
  }
  return checks;
}

async function endpointChecks(service: Service, { id: accountId, name }: Account): Promise<Check[]> {
  const endpoints = await allPages((query) => listEndpoints(service, accountId, query));
  if (endpoints.length === 0) {
    return [
      warned(
        'endpoints',
        `${name} has none`,
        'Run `refbridge endpoints create`, or report sales through the API only.',
      ),
    ];
  }
  return Promise.all(endpoints.map((endpoint) => endpointCheck(service, accountId, endpoint)));
}

async function endpointCheck(service: Service, accountId: string, endpoint: EndpointResource): Promise<Check> {
  const { id, processor, secretCount, hasAuthorization, lastDeliveryAt } = endpoint;
  const check = `endpoint ${id}`;
  if (secretCount === 0 && !hasAuthorization) {
    const advice = `Set the one that its dashboard shows: \`refbridge endpoints update ${id} --secret-stdin\`.`;
    return failed(check, `${processor} has no secret, so every delivery is refused`, advice);
  }
  try {
    await getEndpointSecrets(service, accountId, id);
  } catch {
    const advice = 'Set SECRET_KEY (or secret.key) back to what it was, or enter the secrets again.';
    return failed(check, `the secrets of ${processor} cannot be opened with this SECRET_KEY`, advice);
  }
  if (lastDeliveryAt !== null) return passed(check, `${processor} delivered last at ${lastDeliveryAt}`);
  const advice = `Enter ${endpoint.url} in its dashboard; try it with \`refbridge trigger ${processor} <event> --endpoint ${id}\`.`;
  return warned(check, `${processor} has delivered nothing yet`, advice);
}

async function deliveryChecks(service: Service, { id: accountId, name }: Account): Promise<Check[]> {
  const waiting = await allPages((query) => listDeliveries(service, accountId, { ...query, status: 'failed' }));
  const dead = await allPages((query) => listDeliveries(service, accountId, { ...query, status: 'dead' }));
  const now = service.clock();
  const overdue = waiting.filter(({ nextAttemptAt }) => nextAttemptAt && Date.parse(nextAttemptAt) < now - OVERDUE_MS);
  const checks: Check[] = [];
  if (overdue.length > 0) {
    const advice = 'A running server tries again by itself: look whether one is running, and into its log.';
    checks.push(failed('deliveries', `${name}: ${overdue.length} are overdue, ${reasonOf(overdue)}`, advice));
  }
  if (dead.length > 0) {
    const advice =
      'Mend the cause, then `refbridge deliveries retry <id>…`; they are in `refbridge deliveries list --status dead`.';
    checks.push(failed('deliveries', `${name}: ${dead.length} were given up, ${reasonOf(dead)}`, advice));
  }
  if (waiting.length > overdue.length) {
    const advice = 'They are tried again by themselves; see `refbridge deliveries list --status failed`.';
    const message = `${name}: ${waiting.length - overdue.length} failed and will be tried again, ${reasonOf(waiting)}`;
    checks.push(warned('deliveries', message, advice));
  }
  return checks.length > 0 ? checks : [passed('deliveries', `${name}: none failed`)];
}

function reasonOf([newest]: readonly DeliveryResource[]): string {
  return `the newest because: ${newest?.reason ?? 'no reason is known'}`;
}

async function ledgerCheck(service: Service, { id: accountId, name }: Account): Promise<Check> {
  let count = 0;
  let first: string | null = null;
  for await (const { kind, id, message } of checkLedger(service, accountId)) {
    count += 1;
    first ??= `${kind} ${id}: ${message}`;
  }
  if (first === null) return passed('ledger', `${name}: sales and payouts are what their entries come to`);
  const advice = 'Pay nothing before this is understood: keep a copy (`refbridge backup`) and report it.';
  return failed('ledger', `${name}: ${count} do not agree with their entries, the first ${first}`, advice);
}

async function linkChecks(service: Service, { id: accountId, name }: Account): Promise<Check[]> {
  const links = await allPages((query) => listLinks(service, accountId, query));
  const ownHost = new URL(service.baseUrl).host;
  const foreign = [...new Set(links.map(({ domain }) => domain))].filter((domain) => domain !== ownHost);
  if (foreign.length === 0) return [passed('links', `${name}: ${links.length}, all on ${ownHost}`)];
  const advice = `They work only where these domains lead to this server. If ${ownHost} is not its name, set BASE_URL.`;
  return [warned('links', `${name}: some are on ${foreign.join(', ')}, not on ${ownHost} (BASE_URL)`, advice)];
}
