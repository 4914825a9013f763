import { type Command, Option } from 'commander';
import type { AccountApi, OperationId } from '../api/account-api.ts';
import { OPERATION_FIELDS } from './declared.ts';
import { flagOf } from './flags.ts';

/** The query of an operation, from the command line's options. */
export type QueryOf = (api: AccountApi, options: Readonly<Record<string, unknown>>) => Promise<Record<string, string>>;

/** Adds an option for every filter in the operation's query; returns the function that reads them. */
export function addFilters(command: Command, operationId: OperationId, skip: readonly string[] = []): QueryOf {
  const declared = OPERATION_FIELDS[operationId]?.query ?? [];
  const fields = declared.filter(({ name }) => !skip.includes(name));
  const options = fields.map(({ name, description, choices = [], isRequired = false, defaultText }) => {
    const { flags, describe, resolve } = flagOf(name, operationId);
    const help = helpOf(description ?? describe, choices);
    const option = new Option(flags, defaultText === undefined ? help : `${help} (default: ${defaultText})`);
    command.addOption(option.makeOptionMandatory(isRequired));
    return { name, attribute: option.attributeName(), resolve };
  });
  return async (api, given) => {
    const query: Record<string, string> = {};
    for (const { name, attribute, resolve } of options) {
      const value = given[attribute];
      if (typeof value === 'string') query[name] = resolve === undefined ? value : await resolve(api, value);
    }
    return query;
  };
}

/** The words that the option takes, unless the description says them. */
function helpOf(description: string, choices: readonly string[]): string {
  const isSaid = choices.every((choice) => description.includes(choice));
  return isSaid ? asHelp(description) : [choices.join(', '), asHelp(description)].filter(Boolean).join('; ');
}

/** A description from the API, in the form that the help uses. */
export function asHelp(text: string): string {
  const plain = text.replaceAll('`', '').replace(/\.$/, '');
  return /^[A-Z][a-z ]/.test(plain) ? plain.charAt(0).toLowerCase() + plain.slice(1) : plain;
}
