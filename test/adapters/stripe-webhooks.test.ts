import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { webhooksOf } from '../../adapters/stripe/webhooks.ts';
import { createPackage, requiredBy } from '../helpers/create-package.ts';

/** The entry of a package of these files; its webhooks are the text "whole". */
function packageOf(files: Record<string, string>): string {
  return join(createPackage({ ...files, 'entry.js': 'exports.webhooks = "whole";' }), 'entry.js');
}

const PLATFORM = { 'platform/NodePlatformFunctions.js': 'exports.NodePlatformFunctions = class {};' };
const webhooks = (verified: string) => `exports.createWebhooks = () => ({
  generateTestHeaderString: ({ payload, secret, timestamp = 2 }) => payload + secret + timestamp,
  signature: { verifyHeader: (payload, header, secret) => ${verified} },
});`;

describe("the webhooks of Stripe's package", () => {
  it("are loaded without the package's API client", () => {
    const files = requiredBy('stripe');
    expect(files.some((path) => path.endsWith('/Webhooks.js'))).toBe(true);
    expect(files.filter((path) => path.includes('/resources'))).toEqual([]);
    expect(files.length).toBeLessThan(20);
  });

  it('come from a part of it that verifies what it signs', () => {
    const entry = packageOf({ ...PLATFORM, 'Webhooks.js': webhooks('header === payload + secret + 2') });
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
  ])('come from the whole package when it %s', (_, files) => {
    expect(webhooksOf(packageOf(files))).toBe('whole');
  });
});
