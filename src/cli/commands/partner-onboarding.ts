import type { Command } from 'commander';
import { partnerIdOf } from '../api/names.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { hint, note, print, printJson } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';

/** `partners onboarding-link` and `partners onboarding`. */
export function addOnboardingCommands(partners: Command): void {
  const link = apiCommand(partners, 'onboarding-link <id|email>')
    .description('print an address at which the partner signs up at Stripe, to be paid there; once, within minutes')
    .option('--country <code>', "the partner's country, ISO 3166; for another one than before, they sign up anew")
    .addHelpText(
      'after',
      `
Opens an account at Stripe for a partner who has none; from then on, the partner is paid there and not in the way that
was set before. Give the address to the partner at once. In the portal, partners get one by themselves.

Examples:
  $ refbridge partners onboarding-link ana@example.com --country DE
  $ refbridge partners onboarding ana@example.com`,
    );
  link.action(async (given: string, { country, json }: AccountOptions & { country?: string }) => {
    const body = { rail: 'stripe', country };
    const answer = await withApi(
      link,
      async (api) =>
        api.call('createPayoutOnboardingLink', { parameters: { id: await partnerIdOf(api, given) }, body }),
      [given],
    );
    if (json) return printJson(answer);
    print(answer.url);
    note(`For the partner. It works once, until ${answer.expires}.`);
  });

  const onboarding = apiCommand(partners, 'onboarding <id|email>')
    .description('ask Stripe whether it would pay the partner now, and what is missing otherwise')
    .addHelpText(
      'after',
      `
Exit code 1 if the partner cannot be paid by Stripe now.

Example:
  $ refbridge partners onboarding ana@example.com`,
    );
  onboarding.action(async (given: string, { json }: AccountOptions) => {
    const answer = await withApi(
      onboarding,
      async (api) => api.call('getPayoutOnboarding', { parameters: { id: await partnerIdOf(api, given) } }),
      [given],
    );
    if (json) printJson(answer);
    else if (answer.rail === null) hint('The partner is not paid by Stripe: see `refbridge partners onboarding-link`.');
    else if (answer.isReady) print(`${answer.rail} would pay ${given} now.`);
    else note(`${answer.rail} would not pay ${given} now: ${answer.problem}.`);
    if (!answer.isReady) process.exitCode = EXIT.unexpected;
  });
}
