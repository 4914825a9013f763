import { type Command, Option } from 'commander';
import { ACCESS_TOKEN, API_URL } from '../../adapters/contract/access-token.ts';
import { PROCESSORS } from '../core/processor.ts';
import { ENDPOINT_FIELDS } from './fields/declared.ts';
import type { EndpointField } from './fields/field.ts';
import { collectList } from './terminal/arguments.ts';
import { CommandError, EXIT } from './terminal/exit-codes.ts';

/** Options as commander returns them, by member name: the option in camel case. */
export type MemberOptions = Readonly<Record<string, unknown>>;

/** Without `secrets`, which `--secret` and `--secret-stdin` set. */
const MEMBERS = ENDPOINT_FIELDS.filter(({ name }) => name !== 'secrets');

/** Members that are a single text, such as the authorization value or shop domain that a delivery must name. */
export const TEXT_MEMBERS = MEMBERS.filter(
  ({ name, types }) => types.includes('string') && name !== ACCESS_TOKEN && name !== API_URL,
);

/** Adds an option for every setting and secret that an adapter declares, except `secrets`. Each switch gets a `--no-` form. */
export function addMemberOptions(command: Command): Command {
  for (const member of MEMBERS) {
    const flag = flagOf(member);
    if (!member.types.includes('boolean')) {
      command.addOption(textOption(member));
      continue;
    }
    command.option(flag, helpOf(member));
    command.option(flag.replace('--', '--no-'), `turn off ${flag} (default)`);
  }
  return command;
}

/** `--shop-domain <domain>`; a list takes comma-separated values. */
export function textOption(member: EndpointField): Option {
  const placeholder = flagOf(member).slice(2).split('-').slice(1).at(-1) ?? 'value';
  const isList = member.types.includes('array');
  const option = new Option(
    `${flagOf(member)} <${placeholder}>`,
    `${helpOf(member)}${isList ? ', comma-separated' : ''}`,
  );
  return isList ? option.argParser(collectList) : option;
}

/** The environment variable that replaces a secret's option: `REFBRIDGE_AUTHORIZATION`. */
export function variableOf(member: EndpointField): string {
  return `REFBRIDGE_${flagOf(member).slice(2).replaceAll('-', '_').toUpperCase()}`;
}

/** The members that were set by options of the command. */
export function membersOf(options: MemberOptions): Record<string, unknown> {
  const named = MEMBERS.filter(({ name }) => options[name] !== undefined);
  return Object.fromEntries(named.map(({ name }) => [name, options[name]]));
}

/** Like `membersOf`, for a change: `none` removes what is stored. */
export function changesOf(options: MemberOptions): Record<string, unknown> {
  const members = Object.entries(membersOf(options));
  return Object.fromEntries(members.map(([name, value]) => [name, isNone(value) ? null : value]));
}

/** The number of secrets that deliveries are verified with, according to the resource. */
export function countShownSecrets(endpoint: object): number {
  const shown = new Map<string, unknown>(Object.entries(endpoint));
  const verifying = ENDPOINT_FIELDS.filter(({ name }) => name !== ACCESS_TOKEN);
  return verifying.reduce((sum, { shownAs }) => sum + (shownAs ? Number(shown.get(shownAs)) : 0), 0);
}

/**
 * True for `none`, also as the only value of a list.
 *
 * @throws CommandError for `none` beside other values
 */
export function isNone(value: unknown): boolean {
  if (!Array.isArray(value)) return value === 'none';
  if (!value.includes('none')) return false;
  if (value.length === 1) return true;
  throw new CommandError(EXIT.usage, '`none` removes the whole list: give it alone.');
}

function flagOf({ name }: EndpointField): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function helpOf({ processors, description = '' }: EndpointField): string {
  return processors.length === PROCESSORS.length ? description : `${processors.join(', ')}: ${description}`;
}
