import type { EndpointSecrets } from '../../../adapters/contract/adapter.ts';
import type { Processor } from '../../core/processor.ts';
import { getEndpoint, getEndpointSecrets } from '../../deliveries/endpoints.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { withAccount } from '../with-service.ts';

/** Where deliveries go, and what signs them. */
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
  authorization?: string;
  shopDomain?: string;
  forwardTo?: string;
}

/**
 * A stored endpoint, with its secrets out of the database; or what the options say.
 *
 * @throws CommandError when something of it is missing, a secret with exit code 4
 */
export async function resolveTarget(options: TargetOptions): Promise<Target> {
  const target = options.endpoint === undefined ? givenTarget(options) : await storedTarget(options.endpoint, options);
  const { secrets, authorization } = target.secrets;
  if (secrets.length > 0 || authorization !== null) return target;
  const advice =
    options.endpoint === undefined
      ? 'Give --secret <secret> (or REFBRIDGE_SECRET)'
      : `Set one first: \`refbridge endpoints update ${options.endpoint} --secret-stdin\``;
  throw new CommandError(EXIT.configuration, `There is no secret to sign with. ${advice}.`);
}

function storedTarget(endpointId: string, options: TargetOptions): Promise<Target> {
  const account = options.account === undefined ? {} : { account: options.account };
  return withAccount(account, async (service, accountId) => {
    const { processor, url } = await getEndpoint(service, accountId, endpointId);
    if (options.processor !== undefined && options.processor !== processor) {
      throw new CommandError(EXIT.usage, `Endpoint ${endpointId} is ${processor}'s, not ${options.processor}'s.`);
    }
    const target = { processor, url: forwardedUrl(url, options.forwardTo) };
    try {
      return { ...target, secrets: await getEndpointSecrets(service, accountId, endpointId) };
    } catch (error) {
      throw new CommandError(EXIT.configuration, error instanceof Error ? error.message : String(error), error);
    }
  });
}

/** A place without a path is another way to the same server: a tunnel, a second port. */
function forwardedUrl(url: string, forwardTo: string | undefined): string {
  if (forwardTo === undefined) return url;
  const to = new URL(forwardTo);
  return to.pathname === '/' ? new URL(new URL(url).pathname, to).href : to.href;
}

function givenTarget({ processor, secret, authorization, shopDomain, forwardTo }: TargetOptions): Target {
  if (processor === undefined || forwardTo === undefined) {
    throw new CommandError(
      EXIT.usage,
      'Say where to: --endpoint <id> of this database, or --processor <name> --secret <secret> --forward-to <url>.',
    );
  }
  const signing = secret ?? process.env.REFBRIDGE_SECRET;
  const secrets = signing ? [signing] : [];
  const value = authorization ?? process.env.REFBRIDGE_AUTHORIZATION ?? null;
  return { processor, url: forwardTo, secrets: { secrets, authorization: value, shopDomain: shopDomain ?? null } };
}
