import type { CommandWords } from './words.ts';

/** The names of commands and options are letters, digits, `-` and `_`, which no shell interprets. */
export function bashScript(commands: readonly CommandWords[]): string {
  return `# bash completion of refbridge
_refbridge() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; esac
    case "\${path:+$path }$word" in
${pathCases(commands)}
      *) break ;;
    esac
  done
  case "$path" in
${commands.map(({ path, words }) => `    "${path}") words="${wordList(words)}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _refbridge refbridge
`;
}

/** zsh can run bash's completion functions. */
export function zshScript(commands: readonly CommandWords[]): string {
  return `#compdef refbridge
autoload -U +X bashcompinit && bashcompinit
${bashScript(commands)}`;
}

export function fishScript(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap(({ path, words }) =>
    words.map(({ word, describe }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c refbridge -n '__refbridge_at ${path}' ${what} -d ${quoted(describe)}`;
    }),
  );
  return `# fish completion of refbridge
function __refbridge_at
    set -l words
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; and break
        set -a words $word
    end
    set -l count (count $argv)
    test $count -eq 0; and test (count $words) -eq 0; and return 0
    test $count -gt 0; and test "$words[1..$count]" = "$argv"
end
${lines.join('\n')}
`;
}

/** A case for each command: its path, from the path before it. */
function pathCases(commands: readonly CommandWords[]): string {
  const named = commands.filter(({ path }) => path !== '');
  return named.map(({ path }) => `      "${path}") path="${path}" ;;`).join('\n');
}

function wordList(words: CommandWords['words']): string {
  return words.map(({ word }) => word).join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
