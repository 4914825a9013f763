import type { Command } from 'commander';

/** What may follow the words of a command: commands, options, and the choices of its arguments. */
export interface CommandWords {
  /** `partners list`; empty for the program. */
  path: string;
  words: { word: string; describe: string }[];
}

/** The words of every command, the program itself included, in the order of the help. */
export function wordsByCommand(command: Command, path: readonly string[] = []): CommandWords[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const named = commands.map((child) => ({ word: child.name(), describe: help.subcommandDescription(child) }));
  const options = help
    .visibleOptions(command)
    .map(({ long, description }) => ({ word: long ?? '', describe: description }))
    .filter(({ word }) => word !== '');
  const choices = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((word) => ({ word, describe: description })),
  );
  const children = command.commands.flatMap((child) => wordsByCommand(child, [...path, child.name()]));
  return [{ path: path.join(' '), words: [...named, ...choices, ...options] }, ...children];
}
