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

describe('the help of every command', () => {
  it.each(COMMANDS)('has an example, with options that it takes: %s', (name, command) => {
    const examples = [...helpOf(command).matchAll(new RegExp(`refbridge ${name}(?: [^|>$)\\n]*|$)`, 'gm'))];
    expect(examples).not.toEqual([]);
    const given = examples.flatMap(([example]) => example.match(/(?<= )--[\w-]+/g) ?? []);
    const taken = ['--help', ...command.options.map(({ long }) => long)];
    expect(given.filter((option) => !taken.includes(option))).toEqual([]);
  });
});
