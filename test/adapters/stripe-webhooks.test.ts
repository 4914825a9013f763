import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { webhooksOf } from '../../adapters/stripe/webhooks.ts';

const folder = mkdtempSync(join(tmpdir(), 'refbridge-stripe-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Creates a package of these files; returns its entry, whose webhooks are the text "whole". */
function packageOf(name: string, files: Record<string, string>): string {
  const all = { ...files, 'entry.js': 'exports.webhooks = "whole";', 'package.json': '{}' };
  mkdirSync(join(folder, name, 'platform'), { recursive: true });
  for (const [path, text] of Object.entries(all)) writeFileSync(join(folder, name, path), text);
  return join(folder, name, 'entry.js');
}

const PLATFORM = { 'platform/NodePlatformFunctions.js': 'exports.NodePlatformFunctions = class {};' };
const webhooks = (verified: string) => `exports.createWebhooks = () => ({
  generateTestHeaderString: ({ payload, secret, timestamp = 2 }) => payload + secret + timestamp,
  signature: { verifyHeader: (payload, header, secret) => ${verified} },
});`;

describe("the webhooks of Stripe's package", () => {
  it("are loaded without the package's API client", () => {
    const program = `
      import { createRequire } from 'node:module';
      await import('${new URL('../../adapters/stripe/index.ts', import.meta.url)}');
      const files = Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes('/stripe/'));
      console.log(JSON.stringify(files));`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
    const files: string[] = JSON.parse(printed);
    expect(files.some((path) => path.endsWith('/Webhooks.js'))).toBe(true);
    expect(files.filter((path) => path.includes('/resources'))).toEqual([]);
    expect(files.length).toBeLessThan(20);
  });

  it('come from a part of it that verifies what it signs', () => {
    const entry = packageOf('part', { ...PLATFORM, 'Webhooks.js': webhooks('header === payload + secret + 2') });
    expect(webhooksOf(entry)).toHaveProperty('signature');
  });

  it.each([
    ['has no such part', {}],
    ['has nothing of the platform', { 'Webhooks.js': webhooks('true') }],
    ['refuses what it signs', { ...PLATFORM, 'Webhooks.js': webhooks('false') }],
    ['accepts whatever it is given', { ...PLATFORM, 'Webhooks.js': webhooks('true') }],
    ['answers later', { ...PLATFORM, 'Webhooks.js': webhooks('Promise.resolve(header === payload + secret + 2)') }],
    [
      'looks at no secret',
      { ...PLATFORM, 'Webhooks.js': webhooks('header.startsWith(payload) && header.endsWith(2)') },
    ],
    ['looks at no time', { ...PLATFORM, 'Webhooks.js': webhooks('header.startsWith(payload + secret)') }],
    ['looks at no body', { ...PLATFORM, 'Webhooks.js': webhooks('header.endsWith(secret + 2)') }],
    ['fails', { ...PLATFORM, 'Webhooks.js': webhooks('payload.missing.member') }],
    ['creates nothing', { ...PLATFORM, 'Webhooks.js': '' }],
  ])('come from the whole package when it %s', (name, files) => {
    expect(webhooksOf(packageOf(name, files))).toBe('whole');
  });
});
