import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addConnectionOptions } from '../../src/cli/connection/with-api.ts';
import { inOptions } from '../../src/cli/fields/problems.ts';
import { notFound, type Problem, ServiceError, validationError } from '../../src/errors.ts';

const command = addConnectionOptions(new Command('example'))
  .option('--debtor-name <name>')
  .option('--execution-date <date>')
  .option('--rate-limit <n>')
  .option('--click <id>')
  .option('--partner <id|email>')
  .option('--code <codes>')
  .option('--secret <secret>')
  .option('--portal <json>');

const problem = (path: string): Problem => ({ path, message: 'is wrong' });
const told = (...paths: string[]) => (inOptions(validationError(paths.map(problem)), command) as ServiceError).message;

describe('a problem of a request', () => {
  it.each([
    ['debtor.name', '--debtor-name'],
    ['executionDate', '--execution-date'],
    ['rateLimitPerMinute', '--rate-limit'],
    ['clickId', '--click'],
    ['partnerId', '--partner'],
    ['discountCodes.1', '--code.1'],
    ['secrets.0', '--secret.0'],
    ['portal.allowedOrigins.0', '--portal.allowedOrigins.0'],
  ])('with %s is one with %s on the command line', (path, option) => {
    expect(told(path)).toBe(`${option}: is wrong`);
  });

  it.each(['debtor', 'results.3.status', 'code2', 'url', 'apiKey'])(
    'with %s, which no option of the command sets, keeps its name',
    (path) => {
      expect(told(path)).toBe(`${path}: is wrong`);
    },
  );

  it('keeps what follows the problems, and the problems themselves', () => {
    const details = [problem('partnerId'), problem('clickId')];
    const message = `${validationError(details).message}. The server runs version 99`;
    const error = inOptions(new ServiceError('VALIDATION_ERROR', message, { details }), command);
    expect(error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: '--partner: is wrong; --click: is wrong. The server runs version 99',
    });
  });

  it('stays as it is when it is of another kind', () => {
    for (const error of [
      notFound('partner', 'ptr_1'),
      new Error('partnerId: is wrong'),
      new ServiceError('VALIDATION_ERROR', 'In other words', { details: [problem('partnerId')] }),
    ]) {
      expect(inOptions(error, command)).toBe(error);
    }
  });
});
