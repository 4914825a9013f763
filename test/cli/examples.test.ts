import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';

/** Each command that does something, with its name: `partners list`. */
function commandsOf(command: Command, before = ''): [string, Command][] {
  return command.commands.flatMap((child): [string, Command][] => {
    const name = `${before}${child.name()}`;
    return child.commands.length > 0 ? commandsOf(child, `${name} `) : [[name, child]];
  });
}

/** What its help shows, without the first line, which is its usage. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text.slice(text.indexOf('\n'));
}

const COMMANDS = commandsOf(await createProgram());
const helpFor = (wanted: string) => {
  const [, command] = COMMANDS.find(([name]) => name === wanted) ?? [];
  if (command === undefined) throw new Error(`There is no command ${wanted}`);
  return helpOf(command).replaceAll(/\s+/g, ' ');
};

describe('the help of every command', () => {
  it.each(COMMANDS)('has an example, with options that it takes: %s', (name, command) => {
    const examples = [...helpOf(command).matchAll(new RegExp(`refbridge ${name}(?: [^|>$)\\n]*|$)`, 'gm'))];
    expect(examples).not.toEqual([]);
    const given = examples.flatMap(([example]) => example.match(/(?<= )--[\w-]+/g) ?? []);
    const taken = ['--help', ...command.options.filter(({ hidden }) => !hidden).map(({ long }) => long)];
    expect(given.filter((option) => !taken.includes(option))).toEqual([]);
  });
});

describe('the options of a resource', () => {
  it('that is created say what applies without them', () => {
    const help = helpFor('programs create');
    expect(help).toContain('a percentage, or fixed amounts (default: 20%)');
    expect(help).toContain('until its commission may be paid out (default: 30)');
    expect(help).toContain('--no-email-matching turn off --email-matching (default)');
    expect(help).toContain('other currencies have no minimum --amount-basis');
  });

  it('that is changed say what applies once they are reset: without them, what is stored stays', () => {
    const help = helpFor('programs update');
    expect(help).toContain('a percentage, or fixed amounts ("none": 20%)');
    expect(help).toContain('until its commission may be paid out ("none": 30)');
    expect(help).not.toContain('default)');
    expect(help).not.toContain('(default:');
  });

  it('that are filters do so, too', () => {
    expect(helpFor('payouts export')).toContain('processing, held, paid, failed, canceled (default: processing)');
  });

  it('that take lists say how', () => {
    expect(helpFor('partners create')).toContain('regardless of case, comma-separated');
    expect(helpFor('programs update')).toContain('cannot be removed, comma-separated ("none": svc_id)');
  });
});

describe('the import from a service', () => {
  it('says whether programs come with it', () => {
    expect(helpFor('import rewardful')).toContain('import programs, partners, links, customers and commissions');
    expect(helpFor('import rewardful')).toContain('by default those of Rewardful');
    expect(helpFor('import dub')).toContain(' import partners, links, customers and commissions from Dub');
    expect(helpFor('import dub')).toContain('by default the only one of the account');
  });

  it('refuses a destination of links that is no address before it reads anything', () => {
    const [, command] = COMMANDS.find(([name]) => name === 'import tolt') ?? [];
    const linkUrl = command?.options.find(({ long }) => long === '--link-url');
    expect(() => linkUrl?.parseArg?.('shop.example.com', undefined)).toThrow('It must be an http or https URL.');
  });
});
