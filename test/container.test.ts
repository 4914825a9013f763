import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { STOPPING } from '../src/main.ts';
import { createTestApp } from './helpers/app.ts';
import { ROOT } from './helpers/source-modules.ts';

const readText = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The instructions of the Dockerfile by stage, with continued lines joined and comments removed. */
const [head = [], build = [], packages = [], final = [], ...more] = readText('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split(/^(?=FROM )/m)
  .map((stage) => stage.trim().split('\n'));
const argumentsOf = (stage: string[], word: string) =>
  stage.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
const listIn = (text = '') => JSON.parse(text.slice(text.indexOf('['))) as string[];

describe('the Dockerfile', () => {
  it('builds in one stage, installs in another and runs in a third, all on the slim image of one major version of Node', () => {
    const [image = ''] = argumentsOf(head, 'ARG');
    const [, major] = /^NODE_IMAGE=node:(\d+)-slim$/.exec(image) ?? [];
    // the major version that development uses, which also ran the tests
    expect(packageJson.devDependencies.node).toMatch(new RegExp(`^\\^${major}\\.`));
    const images = [build, packages, final, ...more].map((stage) => argumentsOf(stage, 'FROM'));
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the Dockerfile has them
    expect(images).toEqual([['${NODE_IMAGE} AS build'], ['${NODE_IMAGE} AS packages'], ['${NODE_IMAGE}']]);
  });

  it('installs what the lock file says, and does not copy sources and development dependencies', () => {
    expect(argumentsOf(build, 'RUN')).toEqual(['npm ci', 'npm run build']);
    expect(argumentsOf(packages, 'RUN')).toEqual(['npm ci --omit=dev && rm node_modules/.package-lock.json']);
    // before the sources, so that a change of them installs and copies nothing again
    expect(argumentsOf(packages, 'COPY')).toEqual(['package.json package-lock.json ./']);
    expect(argumentsOf(final, 'COPY')).toEqual([
      '--from=packages /app/node_modules ./node_modules',
      '--from=build /app/package.json /app/LICENSE ./',
      '--from=build /app/dist ./dist',
    ]);
    expect(argumentsOf(final, 'ENV')).toEqual(['NODE_ENV=production']);
    const ignored = readText('.dockerignore').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.git', '.env', 'node_modules', 'dist', 'data']));
  });

  it('runs the published command as an unprivileged user, with the command on PATH and its data in a volume', () => {
    const { refbridge } = packageJson.bin;
    expect(listIn(argumentsOf(final, 'ENTRYPOINT')[0]).at(-1)).toBe(refbridge);
    expect(argumentsOf(final, 'RUN').join()).toContain(`ln -s /app/${refbridge} /usr/local/bin/refbridge`);
    expect(argumentsOf(final, 'USER')).toEqual(['node']);
    expect(final.indexOf('USER node')).toBeGreaterThan(final.findLastIndex((line) => /^(RUN|COPY) /.test(line)));
    expect(argumentsOf(final, 'VOLUME')).toEqual(['/app/data']);
    expect(argumentsOf(final, 'RUN').join()).toContain('chown node:node data');
  });

  it('has a health check that succeeds while the server is ready, and fails while it is not', async () => {
    const [command = '', ...words] = listIn(argumentsOf(final, 'HEALTHCHECK')[0]);
    expect(command).toBe('node');
    const app = await createTestApp('sqlite');
    const check = async () => {
      const env = { PORT: new URL(app.url).port };
      const [exitCode] = await once(spawn(process.execPath, words, { env, stdio: 'ignore' }), 'exit');
      return exitCode;
    };
    expect(await check()).toBe(0);
    app.lifecycle.draining = true;
    expect(await check()).toBe(1);
    await app.close();
    expect(await check()).toBe(1);
  });
});

describe('compose.yaml', () => {
  const compose = readText('compose.yaml');
  const [, common = ''] = /^x-refbridge: &refbridge\n((?: {2}.*\n)+)/m.exec(compose) ?? [];

  it('passes every setting of .env to both servers', () => {
    expect(common).toContain('  env_file:\n    - path: .env\n      required: false\n');
    expect(compose.match(/^ {4}<<: \*refbridge$/gm)).toHaveLength(2);
    const names = [...readText('.env.example').matchAll(/^# ([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !new RegExp(`^ +${name}:`, 'm').test(compose))).toEqual([]);
    // Compose refuses a file that names a setting twice
    const [, settings = ''] = /^x-settings: &settings\n((?: {2}.*\n)+)/m.exec(compose) ?? [];
    const keys = settings.match(/^ {2}[A-Z_]+(?=:)/gm) ?? [];
    expect(keys.length).toBeGreaterThan(15);
    expect(keys).toEqual([...new Set(keys)]);
  });

  it('says which settings do not come from .env', () => {
    const [comment = ''] = compose.split('\n\n');
    const ownSettings = [...compose.matchAll(/^ {6}<<: \*settings\n((?: {6}.+\n)+)/gm)].map(([, lines = '']) =>
      lines
        .match(/^ {6}[A-Z_]+(?=:)/gm)
        ?.map((name) => name.trim())
        .sort(),
    );
    expect(ownSettings).toEqual([
      ['DATABASE_URL', 'HOST', 'PORT'],
      ['DATABASE_URL', 'HOST', 'PORT'],
    ]);
    expect(comment.replaceAll('\n# ', ' ')).toContain('except PORT, HOST and DATABASE_URL, which are set below');
  });

  it('gives the container no privileges, a read-only file system, and more time than a stop takes', () => {
    expect(common).toContain('  read_only: true\n  tmpfs:\n    - /tmp\n');
    expect(common).toContain('  cap_drop:\n    - ALL\n  security_opt:\n    - no-new-privileges:true\n');
    const [, graceSeconds] = /stop_grace_period: (\d+)s/.exec(common) ?? [];
    expect(Number(graceSeconds) * 1000).toBeGreaterThan(STOPPING.exitMs);
  });

  it('creates a database that compares text by bytes, like those of the tests', () => {
    expect(compose).toContain('      POSTGRES_INITDB_ARGS: --encoding=UTF8 --locale=C\n');
    expect(readText('test/helpers/embedded-postgres.ts')).toContain("'--encoding=UTF8', '--locale=C'");
  });

  it('waits for a database that starts slowly, not for the one that initializes a volume and listens on a socket only', () => {
    expect(compose).toContain('      test: ["CMD", "pg_isready", "-h", "127.0.0.1", "-U", "refbridge"]\n');
    expect(compose).toMatch(/^ {6}start_period: \d+m\n/m);
  });

  it('publishes the port on this machine only', () => {
    expect(common).toContain('    - "127.0.0.1:3000:3000"\n');
    expect(compose.match(/^ +ports:$/gm)).toHaveLength(1);
  });
});
