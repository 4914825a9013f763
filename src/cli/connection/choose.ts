import type { Remote } from '../api/remote.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import type { Profile, Profiles } from './profiles.ts';

/** Options that say where the account is. */
export interface ConnectionOptions {
  url?: string;
  apiKey?: string;
  profile?: string;
  local?: true;
  account?: string;
}

/** A server, or the local database; `from` says what selected it. */
export type Connection = { kind: 'local'; from: string } | ({ kind: 'remote'; from: string } & Remote);

/**
 * Where a command finds the account: option > environment > profile > the local database. The key comes from the same
 * place as the address or from one with higher precedence, so that no server ever receives another server's key.
 *
 * @throws CommandError for options that contradict each other, an unknown profile, and an address without a key
 */
export function chooseConnection(
  options: ConnectionOptions,
  environment: NodeJS.ProcessEnv,
  stored: () => Profiles,
): Connection {
  const { url, apiKey, profile, local, account } = options;
  if (local || account !== undefined) {
    const option = local ? '--local' : '--account';
    if (url !== undefined || profile !== undefined || apiKey !== undefined) {
      throw usage(
        `${option} selects the local database: leave out --url, --api-key and --profile. An API key belongs to one account.`,
      );
    }
    return { kind: 'local', from: option };
  }
  const keyOption = apiKey === undefined ? null : { apiKey, keyFrom: '--api-key' };
  const ofProfile = (name: string): Connection => {
    const { profiles } = stored();
    const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    if (found === undefined) throw usage(unknownProfile(name, stored()));
    return { kind: 'remote', from: `profile ${name}`, url: found.url, ...(keyOption ?? keyOf(name, found)) };
  };
  const ofAddress = (address: string, from: string): Connection => {
    const server = addressOf(address, from);
    const key = keyOption ?? keyInEnvironment(environment, server) ?? keyInProfiles(stored(), server);
    if (key === null) {
      throw usage(
        `There is no API key for ${server}: give --api-key, set REFBRIDGE_API_KEY, or run \`refbridge login\`. ` +
          'A REFBRIDGE_API_KEY beside a REFBRIDGE_URL is only for that server.',
      );
    }
    return { kind: 'remote', from, url: server, ...key };
  };
  if (url !== undefined && profile !== undefined) throw usage('Give --url or --profile, not both.');
  if (url !== undefined) return ofAddress(url, '--url');
  if (profile !== undefined) return ofProfile(profile);
  const urlVariable = variable(environment, 'REFBRIDGE_URL');
  if (urlVariable !== null) return ofAddress(urlVariable, 'REFBRIDGE_URL');
  const { current } = stored();
  if (current !== null) return ofProfile(current);
  if (keyOption !== null) throw usage('--api-key needs the address of its server: --url, REFBRIDGE_URL or a profile.');
  return { kind: 'local', from: 'default' };
}

/** The address without a trailing slash, and without `/api`, which the paths begin with. */
export function addressOf(text: string, from: string): string {
  const address = URL.parse(text.trim());
  if (address === null || !['http:', 'https:'].includes(address.protocol)) {
    throw usage(`${from} must be the address of a server, such as https://refer.example.com`);
  }
  if (address.username !== '' || address.search !== '' || address.hash !== '') {
    throw usage(`${from} must be an address without user, query or fragment.`);
  }
  return address.href.replace(/\/+$/, '').replace(/\/api$/, '');
}

/** Beside an address, the key is for the server with that address; alone, it is for the one that the options name. */
function keyInEnvironment(environment: NodeJS.ProcessEnv, server: string) {
  const apiKey = variable(environment, 'REFBRIDGE_API_KEY');
  const address = variable(environment, 'REFBRIDGE_URL');
  if (apiKey === null || (address !== null && addressOf(address, 'REFBRIDGE_URL') !== server)) return null;
  return { apiKey, keyFrom: 'REFBRIDGE_API_KEY' };
}

function keyInProfiles({ current, profiles }: Profiles, url: string) {
  // prefers the current profile when several are for this server
  const names = [current, ...Object.keys(profiles)].filter((name) => name !== null);
  const name = names.find((candidate) => profiles[candidate]?.url === url);
  const found = name === undefined ? undefined : profiles[name];
  return name === undefined || found === undefined ? null : keyOf(name, found);
}

function keyOf(name: string, { apiKey }: Profile) {
  return { apiKey, keyFrom: `profile ${name}` };
}

function unknownProfile(name: string, { profiles }: Profiles): string {
  const names = Object.keys(profiles).join(', ') || 'none';
  return `There is no profile ${name} (known: ${names}). Create it with \`refbridge login --profile ${name}\`.`;
}

function variable(environment: NodeJS.ProcessEnv, name: string): string | null {
  return environment[name]?.trim() || null;
}

function usage(message: string): CommandError {
  return new CommandError(EXIT.usage, message);
}
