import { Argument, type Command } from 'commander';
import { bashScript, fishScript, zshScript } from '../completion/scripts.ts';
import { wordsByCommand } from '../completion/words.ts';
import { printText } from '../terminal/output.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** `completion`. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
It completes commands and options only; it looks up no data.

  bash   source <(refbridge completion bash)            in ~/.bashrc
  zsh    source <(refbridge completion zsh)             in ~/.zshrc, after compinit
  fish   refbridge completion fish > ~/.config/fish/completions/refbridge.fish`,
    )
    .action((shell: keyof typeof SCRIPTS) => {
      printText(SCRIPTS[shell](wordsByCommand(program)));
    });
}
