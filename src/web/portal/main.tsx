/** @jsxImportSource preact */
import './portal.css';
import { render } from 'preact';
import { Api, Failure, openSession } from './api.ts';
import { App, type AppProps, Closed } from './app.tsx';
import { Format } from './format.ts';
import { followHeight, postError } from './frame.ts';
import { followPreview, isPreview } from './preview.ts';
import { type Config, readStart, type Start, takeSettings } from './start.ts';
import { applyTheme } from './theme.ts';
import { chooseLanguage } from './words/index.ts';

const settings = takeSettings();
const root = document.getElementById('portal') as HTMLElement;
const wanted = settings.language === null ? navigator.languages : [settings.language, ...navigator.languages];
const { language, words } = chooseLanguage(wanted);
document.documentElement.lang = language;
/** Without a frame, for the session of a portal link. */
const isWhole = settings.token === null && location.pathname === '/portal';
/** Of a portal link; null once the session is open. */
let { code: linkCode } = settings;

if (settings.dynamicHeight) followHeight(root);
// another portal link in the same tab changes only the hash, which loads nothing
if (isWhole) addEventListener('hashchange', () => location.hash.startsWith('#code=') && location.reload());
if (isPreview) {
  followPreview(({ config, parts }) => show(config, new Api(null), { parts, endsAt: null }));
} else {
  void open(readStart());
}

/** Shows the portal, or why it cannot be opened. */
async function open(start: Start): Promise<void> {
  try {
    await load(start);
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    close(failure);
  }
}

/** Shows the portal: for the token in the address or, without a frame, for the session. */
async function load(start: Start): Promise<void> {
  if (start.error !== undefined) throw new Failure(start.error.code, start.error.message);
  if (start.config === undefined && linkCode !== null) {
    await openSession(linkCode);
    linkCode = null;
  }
  const api = new Api(settings.token);
  const config = start.config ?? (await api.get('portal-config', 'portal-config'));
  const parts = start.parts ?? { terms: await api.get('terms', 'terms') };
  const endsAt = start.expiresInMs === undefined ? null : Date.now() + start.expiresInMs;
  show(config, api, { parts, endsAt });
}

function show(config: Config, api: Api, { parts, endsAt }: Pick<AppProps, 'parts' | 'endsAt'>): void {
  document.title = config.theme.title;
  applyTheme(config, settings);
  const props = { api, config, words, endsAt, format: new Format(language), parts };
  render(<App {...props} />, root);
}

function close({ code, message }: Failure): void {
  applyTheme(undefined, settings);
  document.title = words.cannotOpen;
  const isRefused = code === 'UNAUTHORIZED';
  const refusal = isWhole ? words.linkUsed : words.wrongToken;
  const reason = isRefused ? refusal : code === 'NETWORK_ERROR' ? words.offline : words.tryLater;
  // a reload would lose the code; in a frame there is no retry, because any site may frame this page
  const retry = isWhole && !isRefused ? () => open({}) : null;
  render(<Closed words={words} reason={reason} retry={retry} />, root);
  postError(code, message);
}
