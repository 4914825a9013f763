import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blocksOf, readDocumentation } from './helpers/markdown.ts';
import { ROOT } from './helpers/source-modules.ts';

/** What this repository installs, so that the examples can be compiled. */
const INSTALLED = /'(?:refbridge\/|stripe'|@paddle\/|@polar-sh\/|@shopify\/)/;

/** What the examples assume: their own application, and Next.js, which is not installed here. */
const SURROUNDINGS = `
declare const request: Request;
declare const user: { id: string; email: string };
declare const order: { id: string };
declare const refund: { id: string };
declare const partner: { id: string };
declare const log: { warn(value: unknown): void };
declare const cartId: string;
declare const clickId: string;
declare module 'next/server' {
  export type NextRequest = Request;
  export const NextResponse: { next(): Response };
}
`;

const CONFIG = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: {
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    noUnusedLocals: false,
    noUnusedParameters: false,
    paths: {
      'refbridge/client': [join(ROOT, 'src/client/index.ts')],
      'refbridge/client/file-queue': [join(ROOT, 'src/client/file-queue.ts')],
      'refbridge/better-auth': [join(ROOT, 'src/better-auth/index.ts')],
      'refbridge/middleware': [join(ROOT, 'src/middleware/index.ts')],
      'refbridge/server': [join(ROOT, 'src/server.ts')],
      'refbridge/script': [join(ROOT, 'src/web/script/script.d.ts')],
    },
  },
  include: ['*.ts'],
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'refbridge-examples-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('the examples in TypeScript that use this package, or an installed one of a processor, compile in strict mode', async () => {
  const examples = readDocumentation().flatMap((page) => blocksOf(page, 'ts').filter((code) => INSTALLED.test(code)));
  expect(examples.length).toBeGreaterThanOrEqual(18);
  await Promise.all([
    ...examples.map((code, index) => writeFile(join(folder, `example-${index}.ts`), `${code}\nexport {};\n`)),
    writeFile(join(folder, 'surroundings.d.ts'), SURROUNDINGS),
    writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' })),
    writeFile(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG)),
    symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules')),
  ]);
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  // several checkers would each resolve the same types
  const compiled = await promisify(execFile)(process.execPath, [compiler, '-p', folder, '--checkers', '1']).catch(
    (error: { stdout: string }) => error,
  );
  expect(compiled.stdout).toBe('');
});
