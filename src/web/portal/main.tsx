/** @jsxImportSource preact */
import './portal.css';
import { render } from 'preact';
import { Api, Failure, openSession } from './api.ts';
import { App, type AppProps, Closed } from './app.tsx';
import { Format } from './format.ts';
import { followHeight, postError } from './frame.ts';
import { followPreview, isPreview } from './preview.ts';
import { type Config, readStart, type Settings, type Start, takeSettings } from './start.ts';
import { applyTheme } from './theme.ts';
import { chooseLanguage } from './words/index.ts';

const settings = takeSettings();
const root = document.getElementById('portal') as HTMLElement;
const wanted = settings.language === null ? navigator.languages : [settings.language, ...navigator.languages];
const { language, words } = chooseLanguage(wanted);
document.documentElement.lang = language;

if (settings.dynamicHeight) followHeight(root);
if (isPreview) {
  followPreview(({ config, parts }) => show(config, new Api(null), { parts, expires: null }));
} else {
  void open(readStart(), settings).catch((failure: unknown) => {
    if (!(failure instanceof Failure)) throw failure;
    close(failure, settings.token === null && location.pathname === '/portal' ? words.linkUsed : words.wrongToken);
  });
}

/** Shows the portal: for the token in the address or, without a frame, for the session. */
async function open(start: Start, { token, code }: Settings): Promise<void> {
  if (start.error !== undefined) throw new Failure(start.error.code, start.error.message);
  let expires = start.expires ?? null;
  if (start.config === undefined && code !== null) ({ expires } = await openSession(code));
  const api = new Api(token);
  const config = start.config ?? (await api.get('portal-config', 'portal-config'));
  const parts = start.parts ?? { terms: await api.get('terms', 'terms') };
  show(config, api, { parts, expires });
}

function show(config: Config, api: Api, { parts, expires }: Pick<AppProps, 'parts' | 'expires'>): void {
  document.title = config.theme.title;
  applyTheme(config, settings);
  const props = { api, config, words, expires, format: new Format(language), parts };
  render(<App {...props} />, root);
}

function close({ code, message }: Failure, unauthorized: string): void {
  applyTheme(undefined, settings);
  document.title = words.cannotOpen;
  const others = code === 'NETWORK_ERROR' ? words.offline : words.tryLater;
  render(<Closed words={words} reason={code === 'UNAUTHORIZED' ? unauthorized : others} />, root);
  postError(code, message);
}
