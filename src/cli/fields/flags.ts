import type { AccountApi, OperationId } from '../api/account-api.ts';
import { endpointIdOf, eventEndpointIdOf, linkIdOf, partnerIdOf, programIdOf, saleIdOf } from '../api/names.ts';

interface Flag {
  /** `--partner <id|email>` */
  flags: string;
  describe: string;
  /** Converts what a person writes into what the API accepts. */
  resolve?: (api: AccountApi, text: string) => Promise<string>;
}

/** The options of fields that are not just the name of the field. */
const NAMED: Readonly<Record<string, Flag>> = {
  partnerId: { flags: '--partner <id|email>', describe: 'the partner', resolve: partnerIdOf },
  programId: { flags: '--program <id|name>', describe: 'the program', resolve: programIdOf },
  linkId: { flags: '--link <id|key>', describe: 'the link', resolve: linkIdOf },
  saleId: { flags: '--sale <id|invoice>', describe: 'the sale', resolve: saleIdOf },
  endpointId: { flags: '--endpoint <id|processor>', describe: 'the webhook endpoint', resolve: endpointIdOf },
  payoutId: { flags: '--payout <id>', describe: 'the payout that contains it' },
  operatorId: { flags: '--operator <id>', describe: 'who did it' },
  resourceId: { flags: '--resource <id>', describe: 'what was changed' },
  invoiceId: { flags: '--invoice <id>', describe: 'the invoice' },
  customerExternalId: { flags: '--customer <externalId>', describe: 'your own id for the customer' },
  discountCodes: { flags: '--code <codes>', describe: 'discount codes' },
  email: { flags: '--email <address>', describe: 'the e-mail address' },
  name: { flags: '--name <name>', describe: 'the name' },
  from: { flags: '--from <time>', describe: '' },
  to: { flags: '--to <time>', describe: '' },
  url: { flags: '--url <url>', describe: 'the destination' },
  tenantId: { flags: '--tenant-id <id>', describe: 'your own id for the partner' },
  currency: { flags: '--currency <currency>', describe: 'a currency, such as eur' },
  description: { flags: '--description <text>', describe: 'what it is for' },
  commission: { flags: '--commission <commission>', describe: 'what a sale earns: a percentage, or fixed amounts' },
  portal: { flags: '--portal <json>', describe: 'appearance, and who may embed it: {"allowedOrigins": ["https://…"]}' },
};

/** Operations in which a field has another meaning. */
const NAMED_OTHERWISE: Partial<Record<OperationId, Readonly<Record<string, Flag>>>> = {
  listEvents: {
    endpointId: { flags: '--endpoint <id|url>', describe: 'the event endpoint', resolve: eventEndpointIdOf },
  },
};

/** The option for a field of an operation: `holdDays` is `--hold-days <holdDays>`. */
export function flagOf(field: string, operationId: OperationId): Flag {
  const kebab = inKebabCase(field);
  return (
    NAMED_OTHERWISE[operationId]?.[field] ??
    NAMED[field] ?? { flags: `--${kebab} <${kebab.split('-').at(-1)}>`, describe: '' }
  );
}

/** The names that the option for a field may have in any command, the likeliest first: `--click-id`, `--click`. */
export function optionNames(field: string): string[] {
  const words = inKebabCase(field).split('-');
  const shorter = words.map((_, index) => `--${words.slice(0, words.length - index).join('-')}`);
  const [named = ''] = NAMED[field]?.flags.split(' ') ?? [];
  return [named, ...shorter, field === 'secrets' ? '--secret' : ''].filter(Boolean);
}

function inKebabCase(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
