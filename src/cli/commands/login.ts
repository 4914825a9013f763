import { type Command, Option } from 'commander';
import { loadEnvironment } from '../../process/environment.ts';
import type { Remote } from '../api/remote.ts';
import { createRemoteApi } from '../api/remote-api.ts';
import { addressOf } from '../connection/choose.ts';
import { profilesFile, readProfiles, writeProfiles } from '../connection/profiles.ts';
import { ask, askSecret } from '../terminal/ask.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { note, printJson } from '../terminal/output.ts';

const PROFILE_DEFAULT = 'default';
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

interface LoginOptions {
  url?: string;
  apiKey?: string;
  profile: string;
  json?: true;
}

/** `login` and `logout`. */
export function addLoginCommands(program: Command): void {
  program
    .command('login')
    .description('store the address and an API key of a server, which the other commands use from then on')
    .option('--url <address>', 'the server (or REFBRIDGE_URL); prompted for if missing')
    .option(
      '--api-key <key>',
      'the key; if left out, which is safer, prompted for without echo or read from standard input',
    )
    .addOption(new Option('--profile <name>', 'a name for this login, to keep several').default(PROFILE_DEFAULT))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Checks both before it stores them in ${'$XDG_CONFIG_HOME'}/refbridge/config.json (~/.config without it), which only you can read.
A key with scope read can only read; one with scope full can change things. Create one in the dashboard.

Examples:
  $ refbridge login --url https://refer.example.com
  $ refbridge login --profile test --url https://test.example.com < key.txt
  $ refbridge sales list                     on the server that you logged in to last
  $ refbridge sales list --profile default
  $ refbridge sales list --local             in the local database`,
    )
    .action(login);

  program
    .command('logout')
    .description('forget a stored server; its API key stays valid until it is revoked')
    .option('--profile <name>', 'the profile (default: the one in use)')
    .option('--json', 'print JSON')
    .action(({ profile, json }: { profile?: string; json?: true }) => {
      const { current, profiles } = readProfiles();
      const name = profile ?? current;
      if (name === null) throw new CommandError(EXIT.unexpected, 'You are not logged in.');
      const { [name]: forgotten, ...others } = profiles;
      if (forgotten === undefined) throw new CommandError(EXIT.usage, `There is no profile ${name}.`);
      const next = current === name ? (Object.keys(others)[0] ?? null) : current;
      writeProfiles({ current: next, profiles: others });
      if (json) return printJson({ profile: name, url: forgotten.url, current: next });
      note(
        `Logged out of ${forgotten.url}. ${next === null ? 'Commands use the local database.' : `Now in use: profile ${next}.`}`,
      );
    });
}

async function login({ url: given, apiKey: givenKey, profile, json }: LoginOptions): Promise<void> {
  const stored = readProfiles();
  const url = given === undefined ? await addressElsewhere() : addressOf(given, '--url');
  const apiKey = givenKey ?? (await askSecret(`API key for ${url}: `));
  if (apiKey === '') throw new CommandError(EXIT.usage, 'No API key was given; nothing was stored.');
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !LOCAL_HOSTS.includes(hostname)) {
    note('The address is not encrypted (http): anyone on the network path can read the API key.');
  }
  const version = await check({ url, apiKey, keyFrom: 'this login' });
  writeProfiles({ current: profile, profiles: { ...stored.profiles, [profile]: { url, apiKey } } });
  if (json) return printJson({ profile, url, version, file: profilesFile() });
  note(`Logged in to ${url} (version ${version}) as profile ${profile}, stored in ${profilesFile()}.`);
}

/** The address from the environment, otherwise from the person at the terminal. */
async function addressElsewhere(): Promise<string> {
  const variable = loadEnvironment().REFBRIDGE_URL?.trim();
  if (variable) return addressOf(variable, 'REFBRIDGE_URL');
  if (process.stdin.isTTY) return addressOf(await ask('Address of the server: '), 'The answer');
  throw new CommandError(EXIT.usage, 'Give the address of the server: --url https://refer.example.com');
}

/** @throws CommandError unless a Refbridge server answers there and the key may read */
async function check(remote: Remote): Promise<string> {
  const api = createRemoteApi(remote);
  const version = await api.version();
  await api.call('listPrograms', { query: { limit: '1' } });
  return version;
}
