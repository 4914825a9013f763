import type { EndpointSecrets } from '../../../adapters/contract/adapter.ts';
import type { Processor } from '../../core/processor.ts';
import { messageOf } from '../../errors.ts';
import { endpointIdOf, isId } from '../api/names.ts';
import { TEXT_MEMBERS, variableOf } from '../endpoint-options.ts';
import { missingSecret } from '../missing-secret.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { withAccount, withAccountOf } from '../with-service.ts';

const SECRET_MEMBERS = TEXT_MEMBERS.filter(({ kind }) => kind === 'secret');

/** Where deliveries go, and the secrets that sign them. */
export interface Target {
  processor: Processor;
  url: string;
  secrets: EndpointSecrets;
}

export interface TargetOptions {
  account?: string;
  endpoint?: string;
  processor?: Processor;
  secret?: string;
  forwardTo?: string;
  /** Other text members of the processor's endpoints: `authorization`, `shopDomain`. */
  [member: string]: unknown;
}

/**
 * A stored endpoint with its secrets, or a target made of the options.
 *
 * @throws CommandError if a part of the target is missing; exit code 4 for a missing secret
 */
export async function resolveTarget(options: TargetOptions): Promise<Target> {
  const target = options.endpoint === undefined ? givenTarget(options) : await storedTarget(options.endpoint, options);
  if (SECRET_MEMBERS.some(({ name }) => target.secrets[name]) || target.secrets.secrets.length > 0) return target;
  const advice =
    options.endpoint === undefined
      ? 'Give --secret <secret> (or REFBRIDGE_SECRET)'
      : `Set one first: \`${missingSecret(target.processor, options.endpoint).command}\``;
  throw new CommandError(EXIT.configuration, `There is no secret to sign with. ${advice}.`);
}

async function storedTarget(given: string, options: TargetOptions): Promise<Target> {
  const account = options.account === undefined ? {} : { account: options.account };
  const { getEndpoint, getEndpointSecrets } = await import('../../deliveries/endpoints.ts');
  const { createLocalApi } = await import('../api/local-api.ts');
  const withOne = isId(given) ? withAccountOf : withAccount;
  return withOne(account, async (service, accountId) => {
    const endpointId = await endpointIdOf(createLocalApi(service, accountId), given);
    const { processor, url } = await getEndpoint(service, accountId, endpointId);
    if (options.processor !== undefined && options.processor !== processor) {
      throw new CommandError(
        EXIT.usage,
        `Endpoint ${endpointId} belongs to ${processor}, not to ${options.processor}.`,
      );
    }
    const target = { processor, url: forwardedUrl(url, options.forwardTo) };
    try {
      return { ...target, secrets: await getEndpointSecrets(service, accountId, endpointId) };
    } catch (error) {
      throw new CommandError(EXIT.configuration, messageOf(error), error);
    }
  });
}

/** A URL without a path is another address of the same server, such as a tunnel. */
function forwardedUrl(url: string, forwardTo: string | undefined): string {
  if (forwardTo === undefined) return url;
  const to = new URL(forwardTo);
  return to.pathname === '/' ? new URL(new URL(url).pathname, to).href : to.href;
}

function givenTarget(options: TargetOptions): Target {
  const { processor, secret, forwardTo } = options;
  if (processor === undefined || forwardTo === undefined) {
    throw new CommandError(
      EXIT.usage,
      'Give a target: --endpoint <id|processor> of this database, or --processor <name> --secret <secret> --forward-to <url>.',
    );
  }
  const signing = secret ?? process.env.REFBRIDGE_SECRET;
  const members = TEXT_MEMBERS.map((member): [string, unknown] => [
    member.name,
    options[member.name] ?? (member.kind === 'secret' ? process.env[variableOf(member)] : null) ?? null,
  ]);
  return { processor, url: forwardTo, secrets: { ...Object.fromEntries(members), secrets: signing ? [signing] : [] } };
}
