import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validatorFor as partValidatorFor, validatorsOf } from '../../adapters/shopify/webhooks.ts';
import { createPackage, requiredBy } from '../helpers/create-package.ts';

const WHOLE = 'exports.shopifyApi = () => ({ webhooks: { validate: async () => "whole" } });';
const CONFIGURATION = {
  'lib/config.js': 'exports.validateConfig = (config) => config;',
  'adapters/node/index.js': '',
};
/** `signed` is the signature of the body with the secret. */
const validate = (valid: string) => `const { createHmac } = require('node:crypto');
exports.validateFactory = ({ apiSecretKey }) => async ({ rawBody, rawRequest }) => {
  const signature = rawRequest.headers['x-shopify-hmac-sha256'];
  const signed = createHmac('sha256', apiSecretKey).update(rawBody).digest('base64');
  return { valid: ${valid} };
};`;

/** What an own check, signed with its secret, comes to with a package of these files. */
async function checkWith(files: Record<string, string>): Promise<unknown> {
  const validatorFor = await validatorsOf(join(createPackage({ ...files, 'lib/index.js': WHOLE }), 'lib/index.js'));
  const headers = { 'x-shopify-hmac-sha256': createHmac('sha256', 's').update('body').digest('base64') };
  return validatorFor('s')({ rawBody: 'body', rawRequest: { headers } });
}

describe("the webhooks of Shopify's package", () => {
  it("are loaded without the package's API clients", () => {
    const files = requiredBy('shopify');
    expect(files.some((path) => path.endsWith('/webhooks/validate.js'))).toBe(true);
    expect(files.filter((path) => path.includes('/clients/') || path.includes('-api-client'))).toEqual([]);
    expect(files.length).toBeLessThan(40);
  });

  it('come from a part of it that accepts what was signed with the secret', async () => {
    const files = { ...CONFIGURATION, 'lib/webhooks/validate.js': validate('signature === signed') };
    expect(await checkWith(files)).toEqual({ valid: true });
  });

  it.each([
    ['has no such part', {}],
    ['has no configuration', { 'lib/webhooks/validate.js': validate('signature === signed') }],
    ['refuses what was signed', { ...CONFIGURATION, 'lib/webhooks/validate.js': validate('false') }],
    ['accepts whatever it is given', { ...CONFIGURATION, 'lib/webhooks/validate.js': validate('true') }],
    [
      'accepts what is not signed',
      { ...CONFIGURATION, 'lib/webhooks/validate.js': validate('(signature ?? signed) === signed') },
    ],
    [
      'looks at no body',
      {
        ...CONFIGURATION,
        'lib/webhooks/validate.js': validate(
          'signature === createHmac("sha256", apiSecretKey).update("{}").digest("base64")',
        ),
      },
    ],
    [
      'looks at no secret',
      {
        ...CONFIGURATION,
        'lib/webhooks/validate.js': validate(
          'signature === createHmac("sha256", "example").update(rawBody).digest("base64")',
        ),
      },
    ],
    ['says something else', { ...CONFIGURATION, 'lib/webhooks/validate.js': validate('signature === signed ? 1 : 0') }],
    ['fails', { ...CONFIGURATION, 'lib/webhooks/validate.js': validate('signature.missing.member') }],
    ['creates nothing', { ...CONFIGURATION, 'lib/webhooks/validate.js': '' }],
  ])('come from the whole package when it %s', async (_, files) => {
    expect(await checkWith(files)).toBe('whole');
  });

  it('are the same in the whole package', async () => {
    const whole = `module.exports = require(${JSON.stringify(createRequire(import.meta.url).resolve('@shopify/shopify-api'))});`;
    const validatorFor = await validatorsOf(join(createPackage({ 'lib/index.js': whole }), 'lib/index.js'));
    const headers = {
      'x-shopify-hmac-sha256': createHmac('sha256', 's').update('body').digest('base64'),
      'x-shopify-topic': 'orders/paid',
    };
    const check = { rawRequest: { method: 'POST', url: '/', headers } };
    for (const rawBody of ['body', 'other', '']) {
      const [ofWhole, ofPart] = [validatorFor, partValidatorFor].map((each) => each('s')({ rawBody, ...check }));
      expect(await ofWhole).toEqual(await ofPart);
    }
  });
});
