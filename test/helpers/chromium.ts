import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

/**
 * Our own list, because the arguments of `@sparticuz/chromium` disable the same-origin policy, which would disable
 * every CORS test. The last five keep the browser from sending its own requests.
 */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const SYSTEM_CHROMES = [
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

let running: Promise<Browser> | undefined;

/** The real Chromium of this worker, which all of its test files share. It ends with the worker. */
export function sharedChromium(): Promise<Browser> {
  running ??= launchChromium();
  return running;
}

/** Closes what a test file has opened in the browser it shares. */
export async function closePages(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
}

/**
 * Keeps the interception of requests switched on, for a context whose pages end their routes. Chromium may hold a request
 * for ever that is under way when the last route ends.
 */
export async function keepIntercepting(context: BrowserContext): Promise<void> {
  await context.route(
    () => false,
    (route) => route.fallback(),
  );
}

/** A real Chromium: from `CHROME_PATH`, otherwise the system's, otherwise from npm. Fails if there is none. */
export async function launchChromium(): Promise<Browser> {
  const installed = process.env.CHROME_PATH || SYSTEM_CHROMES.find((path) => existsSync(path));
  if (installed) return chromium.launch({ executablePath: installed, args: ARGUMENTS });
  const folder = await unpackedChromium();
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: ARGUMENTS,
    // libraries that a bare machine lacks
    env: { ...process.env, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') },
  });
}

/**
 * The package unpacks into the system's temporary folder, trusts existing files there and never checks their version.
 * So it unpacks into a new folder, which is then renamed in a single step to a name that contains the version.
 */
async function unpackedChromium(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const { version } = JSON.parse(await readFile(join(entry, '..', '..', 'package.json'), 'utf8'));
  const place = join(tmpdir(), `refbridge-chromium-${version}`);
  if (existsSync(place)) return place;
  const fresh = await mkdtemp(join(tmpdir(), 'refbridge-chromium-new-'));
  await unpackInto(fresh, join(entry, '..', '..', 'bin'));
  await rename(fresh, place).catch(async (error: NodeJS.ErrnoException) => {
    await rm(fresh, { recursive: true, force: true });
    // another process was faster
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  return place;
}

async function unpackInto(folder: string, archives: string): Promise<void> {
  const { default: packaged, inflate } = await import('@sparticuz/chromium');
  const usual = process.env.TMPDIR;
  // the only way to tell the package where to unpack
  process.env.TMPDIR = folder;
  try {
    await Promise.all([packaged.executablePath(archives), inflate(join(archives, 'al2023.tar.br'))]);
  } finally {
    if (usual === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usual;
  }
}
