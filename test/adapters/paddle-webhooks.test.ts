import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { webhooks, webhooksOf } from '../../adapters/paddle/webhooks.ts';
import { createPackage, requiredBy } from '../helpers/create-package.ts';

const WHOLE = `exports.Paddle = class {};
  exports.WebhooksValidator = class {};
  exports.EventName = { Whole: 'whole' };`;
const TYPES = {
  'internal/providers/runtime/node-runtime.js': 'exports.NodeRuntime = class { static initialize() {} };',
  'notifications/helpers/types.js': `exports.EventName = { TransactionCompleted: 'transaction.completed' };`,
};
const VALIDATOR = 'notifications/helpers/webhooks-validator.js';

/** `signed(time, body, secret)` is the header of a signature. */
const validator = (valid: string) => `const { createHmac } = require('node:crypto');
const signed = (time, body, secret) =>
  'ts=' + time + ';h1=' + createHmac('sha256', secret).update(time + ':' + body).digest('hex');
exports.WebhooksValidator = class WebhooksValidator {
  static MAX_VALID_TIME_DIFFERENCE = 5;
  async isValidSignature(body, secret, header) { return ${valid}; }
};`;
const CORRECT = 'header === signed(1, body, secret) || header === signed(2, body, secret)';

function webhooksWith(files: Record<string, string>) {
  return webhooksOf(join(createPackage({ ...files, 'index.js': WHOLE }), 'index.js'));
}

describe("the webhooks of Paddle's package", () => {
  it("are loaded without the package's API client", () => {
    const files = requiredBy('paddle');
    expect(files.some((path) => path.endsWith('/webhooks-validator.js'))).toBe(true);
    expect(files.filter((path) => path.includes('/resources/') || path.includes('/entities/'))).toEqual([]);
    expect(files.length).toBeLessThan(20);
  });

  it('come from a part of it that accepts what was signed', async () => {
    const { knownTypes } = await webhooksWith({ ...TYPES, [VALIDATOR]: validator(CORRECT) });
    expect([...knownTypes]).toEqual(['transaction.completed']);
  });

  it.each([
    ['has no such part', {}],
    ['has no types', { [VALIDATOR]: validator(CORRECT) }],
    [
      'knows no transactions',
      { ...TYPES, [VALIDATOR]: validator(CORRECT), 'notifications/helpers/types.js': 'exports.EventName = {};' },
    ],
    ['refuses what was signed', { ...TYPES, [VALIDATOR]: validator('false') }],
    ['accepts whatever it is given', { ...TYPES, [VALIDATOR]: validator('true') }],
    ['looks at no body', { ...TYPES, [VALIDATOR]: validator("header === signed(1, '{}', secret)") }],
    ['looks at no secret', { ...TYPES, [VALIDATOR]: validator("header === signed(1, body, 'pdl_ntfset_example')") }],
    [
      'looks at no time',
      { ...TYPES, [VALIDATOR]: validator("header.split('h1=')[1] === signed(1, body, secret).split('h1=')[1]") },
    ],
    [
      'refuses what is old',
      { ...TYPES, [VALIDATOR]: validator(`WebhooksValidator.MAX_AGE_SECONDS > 5 && (${CORRECT})`) },
    ],
    ['says something else', { ...TYPES, [VALIDATOR]: validator(`(${CORRECT}) ? 1 : 0`) }],
    ['fails', { ...TYPES, [VALIDATOR]: validator('header.missing.member') }],
    ['creates nothing', { ...TYPES, [VALIDATOR]: '' }],
  ])('come from the whole package when it %s', async (_, files) => {
    const { knownTypes } = await webhooksWith(files);
    expect([...knownTypes]).toEqual(['whole']);
  });

  it('are the same in the whole package', async () => {
    const whole = `module.exports = require(${JSON.stringify(createRequire(import.meta.url).resolve('@paddle/paddle-node-sdk'))});`;
    const { isSignatureValid, knownTypes } = await webhooksOf(join(createPackage({ 'index.js': whole }), 'index.js'));
    expect(knownTypes).toEqual(webhooks.knownTypes);
    const header = `ts=1;h1=${createHmac('sha256', 's').update('1:body').digest('hex')}`;
    for (const check of [isSignatureValid, webhooks.isSignatureValid]) {
      expect(await check('body', 's', header)).toBe(true);
      expect(await check('other', 's', header)).toBe(false);
    }
  });
});
