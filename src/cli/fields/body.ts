import { type Command, InvalidArgumentError, Option } from 'commander';
import { CODES_IN_FORMS, splitCodes } from '../../core/code-list.ts';
import type { AccountApi, OperationId } from '../api/account-api.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { OPERATION_FIELDS } from './declared.ts';
import type { Field } from './field.ts';
import { asHelp } from './filters.ts';
import { flagOf } from './flags.ts';
import { readCommission, readCommissionPatch, readJson, readNumber, readSums, readSumsPatch } from './read.ts';

/** The value of `none`, because commander treats null as no value. */
const RESET = Symbol('reset to the default');

/** What the command line's options say, as the body of an operation. */
export type BodyOf = (api: AccountApi, options: Readonly<Record<string, unknown>>) => Promise<Record<string, unknown>>;

interface Reader {
  placeholder: string;
  read(text: string): unknown;
  /** In a change: what is given replaces everything that is stored. */
  readPatch(text: string): unknown;
}

/** Fields that people do not write as JSON. */
const READERS: Readonly<Record<string, Reader>> = {
  commission: { placeholder: '20%|5.00EUR', read: readCommission, readPatch: readCommissionPatch },
  minimumPayout: { placeholder: '50EUR,60USD', read: readSums, readPatch: readSumsPatch },
};

/**
 * Adds an option for every field of the operation's body, or of the resource that it changes; returns the function that
 * reads them. In a change, `none` resets a field, and at least one option must be given.
 */
export function addBodyOptions(command: Command, operationId: OperationId, skip: readonly string[] = []): BodyOf {
  const { body, isChange = false } = OPERATION_FIELDS[operationId] ?? {};
  if (body === undefined) throw new Error(`${operationId} has no body whose members can be options`);
  const fields = body.filter(({ name }) => !skip.includes(name));
  const readers = fields.map((field) => addField(command, field, { isChange, flag: flagOf(field.name, operationId) }));
  return async (api, options) => {
    const found: Record<string, unknown> = {};
    for (const { name, attribute, resolve } of readers) {
      const value = options[attribute];
      if (value === RESET) found[name] = null;
      else if (resolve && typeof value === 'string') found[name] = await resolve(api, value);
      else if (value !== undefined) found[name] = value;
    }
    if (isChange) requireChange(found);
    return found;
  };
}

/** @throws CommandError for a change without any member */
export function requireChange(change: object): void {
  if (Object.keys(change).length > 0) return;
  throw new CommandError(EXIT.usage, 'Nothing to change was given. Add --help for the options.');
}

interface FieldUse {
  isChange: boolean;
  flag: ReturnType<typeof flagOf>;
}

function addField(command: Command, field: Field, { isChange, flag }: FieldUse) {
  const { name, types, choices = [], isRequired = false, defaultText, description } = field;
  const { flags, describe, resolve } = flag;
  const text = description ?? (choices.length > 0 ? choices.join(', ') : describe);
  const help = asHelp(text.replaceAll(/\bnull\b/g, isChange ? '"none"' : 'left out'));
  const bare = flags.split(' ')[0] ?? flags;
  const reader = READERS[name];
  if (types.includes('boolean')) {
    const mark = (value: string) => (!isChange && defaultText === value ? ' (default)' : '');
    command.option(bare, `${help}${mark('true')}`);
    command.option(bare.replace('--', '--no-'), `turn off ${bare}${mark('false')}`);
    return { name, attribute: new Option(bare).attributeName(), resolve };
  }
  const isList = types.includes('array');
  const mayReset = isChange && types.includes('null');
  const more = `${isList ? ', comma-separated' : ''}${defaultOf(field, { isChange, mayReset })}`;
  const option = new Option(reader === undefined ? flags : `${bare} <${reader.placeholder}>`, `${help}${more}`);
  if (isList && mayReset) option.argParser(collectOrReset);
  else if (isList) option.argParser(collectQuoted);
  else {
    const read = (isChange ? reader?.readPatch : reader?.read) ?? readerOf(types);
    option.argParser((given: string) => (mayReset && given === 'none' ? RESET : read(given)));
  }
  if (!isChange && isRequired) option.makeOptionMandatory();
  command.addOption(option);
  return { name, attribute: option.attributeName(), resolve };
}

/** What applies without the option; in a change, which keeps what is stored, after a reset. */
function defaultOf({ defaultText }: Field, { isChange, mayReset }: { isChange: boolean; mayReset: boolean }): string {
  if (defaultText === undefined) return '';
  if (isChange) return mayReset ? ` ("none": ${defaultText})` : '';
  return ` (default: ${defaultText})`;
}

/** Like `collectList`, but a value that contains a comma is in quotes, as in the dashboard. */
function collectQuoted(text: string, before: readonly string[] = []): string[] {
  return [...before, ...splitCodes(text, CODES_IN_FORMS)];
}

/** Like `collectQuoted`, but `none` alone resets the list. */
function collectOrReset(text: string, before?: readonly string[] | typeof RESET): string[] | typeof RESET {
  if (before === undefined && text.trim() === 'none') return RESET;
  const values = before === RESET ? ['none', ...collectQuoted(text)] : collectQuoted(text, before);
  if (!values.includes('none')) return values;
  throw new InvalidArgumentError('`none` resets the whole list: give it alone.');
}

function readerOf(types: readonly string[]): (text: string) => unknown {
  if (types.includes('integer') || types.includes('number')) return readNumber;
  if (types.includes('string')) return (text) => text;
  return readJson;
}
