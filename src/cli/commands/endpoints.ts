import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { PROCESSORS } from '../../core/processor.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  type EndpointResource,
  getEndpoint,
  listEndpoints,
} from '../../deliveries/endpoints.ts';
import { collectEach, collectList } from '../terminal/arguments.ts';
import { note, printJson, printResource } from '../terminal/output.ts';
import { type AccountOptions, accountCommand, withAccount } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

interface SettingOptions extends AccountOptions {
  secret?: string[];
  secretStdin?: true;
  authorization?: string;
  shopDomain?: string;
  acceptTestEvents?: boolean;
  countStores?: string[];
  countPaymentIntents?: boolean;
  program?: string;
}

export function addEndpointsCommand(program: Command): void {
  const endpoints = program
    .command('endpoints')
    .description('where a payment processor posts to, and by which secret it is recognised');

  withSettings(accountCommand(endpoints, 'create'))
    .description('a webhook endpoint; prints the URL for the dashboard of the processor')
    .addOption(new Option('--processor <name>', 'who posts there').choices(PROCESSORS).makeOptionMandatory())
    .addHelpText(
      'after',
      `
The dashboard wants the URL before it shows the secret: create the endpoint without one, then update it.
Until a secret is set, every delivery is refused.

Examples:
  $ refbridge endpoints create --processor stripe
  $ refbridge endpoints update whe_… --secret-stdin < secret.txt
  $ refbridge endpoints create --processor shopify --shop-domain example.myshopify.com`,
    )
    .action(async ({ processor, ...options }: SettingOptions & { processor: string }) => {
      const body = { processor, ...(await settingsOf(options)) };
      const endpoint = await withAccount(options, (service, accountId) => createEndpoint(service, accountId, body));
      printResource(endpoint, options.json);
      if (!options.json) note(adviceFor(endpoint));
    });

  addListCommand<EndpointResource>(endpoints, {
    describe: 'endpoints of the account',
    list: listEndpoints,
    columns: {
      id: ({ id }) => id,
      processor: ({ processor }) => processor,
      url: ({ url }) => url,
      secrets: ({ secretCount, hasAuthorization }) => secretCount + Number(hasAuthorization),
      'last delivery': ({ lastDeliveryAt }) => lastDeliveryAt,
    },
  });

  accountCommand(endpoints, 'show <id>')
    .description('everything of one endpoint but its secrets')
    .action(async (id: string, options: AccountOptions) => {
      printResource(await withAccount(options, (service, account) => getEndpoint(service, account, id)), options.json);
    });

  withSettings(accountCommand(endpoints, 'update <id>'))
    .description('change what is named; secrets replace the whole list')
    .addHelpText(
      'after',
      `
While a secret is rolled over, name both:
  $ refbridge endpoints update whe_… --secret whsec_old… --secret whsec_new…`,
    )
    .action(async (id: string, options: SettingOptions) => {
      const patch = await settingsOf(options);
      const change = withAccount(options, (service, account) => changeEndpoint(service, account, id, patch));
      printResource(await change, options.json);
    });

  accountCommand(endpoints, 'delete <id>')
    .description('answer 404 to its URL from now on, and forget its secrets')
    .action(async (id: string, options: AccountOptions) => {
      await withAccount(options, (service, accountId) => deleteEndpoint(service, accountId, id));
      if (options.json) printJson({ id, deleted: true });
      else note(`${id} is deleted.`);
    });
}

function withSettings(command: Command): Command {
  return command
    .option('--secret <secret>', 'signing secret; repeated for several', collectEach)
    .option('--secret-stdin', 'read secrets from standard input, one a line: they stay out of the shell history')
    .option('--authorization <value>', 'RevenueCat: the value of the authorization header')
    .option('--shop-domain <domain>', 'Shopify: example.myshopify.com')
    .option('--accept-test-events', 'count test purchases as if they were real')
    .option('--no-accept-test-events', 'ignore test purchases (default)')
    .option('--count-stores <stores>', 'RevenueCat: stores whose purchases count, with commas', collectList)
    .option('--count-payment-intents', 'Stripe: a payment without checkout and invoice is a sale')
    .option('--no-count-payment-intents', 'Stripe: it is not (default)')
    .option('--program <id>', 'the program; needed only where there are several');
}

/** Only what was named, so that an update leaves the rest alone. */
async function settingsOf(options: SettingOptions): Promise<Record<string, unknown>> {
  const { acceptTestEvents, authorization, countPaymentIntents, countStores, program: programId, shopDomain } = options;
  const given = options.secret ?? [];
  const secrets = options.secretStdin ? [...given, ...linesOf(await text(process.stdin))] : options.secret;
  const settings = {
    secrets,
    authorization,
    shopDomain,
    acceptTestEvents,
    countStores,
    countPaymentIntents,
    programId,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function linesOf(input: string): string[] {
  return input
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function adviceFor({ id, processor, secretCount, hasAuthorization }: EndpointResource): string {
  const dashboard = `Enter the url in the webhook settings of ${processor}`;
  if (secretCount > 0 || hasAuthorization) return `${dashboard}.`;
  return `${dashboard}, then set the secret that is shown there:\n  refbridge endpoints update ${id} --secret-stdin`;
}
