import { describe, expect, it } from 'vitest';
import { asCalled, commandLine, type Invocation } from '../../src/app/invocation.ts';

const clone: Invocation = { isClone: true, environment: { npm_command: 'run-script' } };
const npx: Invocation = { isClone: false, environment: { npm_command: 'exec' } };
const installed: Invocation = { isClone: false, environment: {} };

describe('the name under which commands are called', () => {
  it.each([
    [clone, 'npm run refbridge -- setup --name x'],
    [npx, 'npx refbridge setup --name x'],
    [installed, 'refbridge setup --name x'],
  ])('depends on whether it is a clone, npx or an installed program', (invocation, expected) => {
    expect(commandLine('setup --name x', invocation)).toBe(expected);
  });

  it('keeps the banner of npm out of what a pipe, a file or another command reads', () => {
    expect(asCalled('refbridge payouts export --format csv > payouts.csv', clone)).toMatch(/^npm run -s refbridge -- /);
    expect(asCalled('refbridge demo --once --json | jq .sales', clone)).toMatch(/^npm run -s refbridge -- /);
    expect(asCalled('refbridge payouts run\nsource <(refbridge completion bash)', clone)).toBe(
      'npm run refbridge -- payouts run\nsource <(npm run -s refbridge -- completion bash)',
    );
    expect(asCalled('  $ refbridge --url https://refer.example.com links create …', clone)).toBe(
      '  $ npm run refbridge -- --url https://refer.example.com links create …',
    );
    expect(asCalled('Usage: refbridge partners show [options] <id|email>', clone)).toBe(
      'Usage: npm run refbridge -- partners show [options] <id|email>',
    );
  });

  it('leaves the subcommand that imports from Refbridge alone', () => {
    const text = [
      'Usage: refbridge import refbridge [options] <folder>',
      '  refbridge [options] <folder>  an export of Refbridge',
      '  $ refbridge import refbridge ./export',
    ].join('\n');
    expect(asCalled(text, npx)).toBe(
      [
        'Usage: npx refbridge import refbridge [options] <folder>',
        '  refbridge [options] <folder>  an export of Refbridge',
        '  $ npx refbridge import refbridge ./export',
      ].join('\n'),
    );
  });

  it('replaces commands in a text, and nothing else that is called so', () => {
    const text = [
      'Usage: refbridge sales list',
      '  $ PORT=8080 refbridge serve',
      'export KEY="$(refbridge setup --json)", then `refbridge trigger <processor>`',
      'file:./data/refbridge.db, /srv/refbridge and refbridge.service, refbridge: gone',
      'npm run refbridge -- setup',
    ].join('\n');
    expect(asCalled(text, npx)).toBe(
      [
        'Usage: npx refbridge sales list',
        '  $ PORT=8080 npx refbridge serve',
        'export KEY="$(npx refbridge setup --json)", then `npx refbridge trigger <processor>`',
        'file:./data/refbridge.db, /srv/refbridge and refbridge.service, refbridge: gone',
        'npm run refbridge -- setup',
      ].join('\n'),
    );
    expect(asCalled(text, installed)).toBe(text);
  });
});
