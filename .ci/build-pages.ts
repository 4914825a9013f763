// Builds the pages of src/web/ into dist/pages/, compressed. `npm start`, `npm run demo` and the tests call it first, and it
// builds only when the sources changed: the published package contains the built files, and never this one.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const ROOT = dirname(import.meta.dirname);
const PAGES = join(ROOT, 'dist/pages');
const SOURCES = [
  'src/web',
  'src/client',
  'src/core',
  'src/rails',
  'src/exchange/sources',
  'adapters',
  'package-lock.json',
  '.ci/build-pages.ts',
];

interface Page {
  name: string;
  /** Replaces packages by smaller ones. */
  alias: Record<string, string>;
}

/** Each becomes `dist/pages/<name>.html`. */
const ALL: readonly Page[] = [
  { name: 'dashboard', alias: {} },
  { name: 'portal', alias: {} },
];

/** Browsers that support `light-dark()`, which the styles use. */
const TARGETS = ['chrome123', 'edge123', 'firefox120', 'safari17.5'];

/** Builds the pages unless they are up to date. */
export async function buildPages(): Promise<void> {
  const hash = hashSources();
  if (readOr(join(PAGES, 'hash'), '') === hash) return;
  process.stderr.write('Building the pages; the next start finds them ready.\n');
  await mkdir(join(ROOT, 'dist'), { recursive: true });
  const folder = await mkdtemp(join(ROOT, 'dist/pages-'));
  const { NODE_ENV } = process.env;
  // otherwise React and Vite build for development, because the tests have their own NODE_ENV
  process.env.NODE_ENV = 'production';
  try {
    for (const page of ALL) await buildPage(page, folder);
    await compressAll(folder);
    await writeFile(join(folder, 'hash'), hash);
    await rm(PAGES, { recursive: true, force: true });
    // created for its owner alone, but a container's user differs from the one that built it
    await chmod(folder, 0o755);
    await rename(folder, PAGES);
  } catch (error) {
    // another process may have built the same files at the same time
    if (readOr(join(PAGES, 'hash'), '') !== hash) throw error;
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
    await rm(folder, { recursive: true, force: true });
  }
}

async function buildPage({ name, alias }: Page, folder: string): Promise<void> {
  const [{ build }, { default: react }, { default: tailwind }] = await Promise.all([
    import('vite'),
    import('@vitejs/plugin-react'),
    import('@tailwindcss/vite'),
  ]);
  const outDir = join(folder, name);
  await build({
    root: join(ROOT, 'src/web', name),
    configFile: false,
    logLevel: 'warn',
    resolve: { alias },
    plugins: [react(), tailwind(), renderBlocking()],
    build: {
      outDir,
      emptyOutDir: false,
      target: TARGETS,
      cssTarget: TARGETS,
      // the policy of the pages forbids inline scripts, and every browser above supports module preload
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      // the licenses of React and the others require their text beside every copy
      license: { fileName: `assets/${name}-licenses.md` },
      rolldownOptions: {
        output: {
          entryFileNames: `assets/${name}-[hash].js`,
          // what several pages of the dashboard need, in one file: by default it is in 25, and browsers fetch six at a time
          // unless a proxy speaks HTTP/2
          codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
        },
      },
    },
  });
  await cp(join(outDir, 'assets'), join(folder, 'assets'), { recursive: true });
  await rename(join(outDir, 'index.html'), join(folder, `${name}.html`));
  await rm(outDir, { recursive: true });
}

/** Delays the first paint until the script has run, so that the chosen theme never flashes. */
function renderBlocking(): Plugin {
  return {
    name: 'render-blocking',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => html.replace('<script type="module"', '<script type="module" blocking="render"'),
    },
  };
}

async function compressAll(folder: string): Promise<void> {
  const compressBrotli = promisify(brotliCompress);
  const compressGzip = promisify(gzip);
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.(?:html|js|css|svg)$/.test(file));
  for (const file of files.map((path) => join(folder, path))) {
    const content = await readFile(file);
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    await writeFile(`${file}.br`, await compressBrotli(content, { params }));
    await writeFile(`${file}.gz`, await compressGzip(content, { level: 9 }));
  }
}

function hashSources(): string {
  const hash = createHash('sha256');
  const files = SOURCES.flatMap((place) =>
    /\.\w+$/.test(place)
      ? [place]
      : readdirSync(join(ROOT, place), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1)),
  );
  for (const file of files.sort()) hash.update(`${file}\0`).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex');
}

function readOr(file: string, absent: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : absent;
}

// Runs before a start, and must not prevent it: the service needs no pages to receive payments.
if (import.meta.main) {
  await buildPages().catch((error: unknown) => {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    process.stderr.write(
      `The pages could not be built: ${reason}. The service starts without its dashboard and its portal, which answer 503 ` +
        'until `npm ci && npm run build` succeeds.\n',
    );
  });
}
