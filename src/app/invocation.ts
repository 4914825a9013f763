/** How this process was started, as far as it decides how a person starts the program. */
export interface Invocation {
  /** TypeScript runs only in a clone of the repository. */
  isClone: boolean;
  environment: Readonly<Record<string, string | undefined>>;
}

const HERE: Invocation = { isClone: import.meta.url.endsWith('.ts'), environment: process.env };

/**
 * A command in a text: after the start, a space, a bracket, a quote or a backtick, and followed by its words. The
 * subcommand in `refbridge import refbridge [options] <folder>` is none.
 */
const COMMAND = /(^|[\s(`'"$])(?<!\bimport )refbridge (?!\[options\] <folder>)(?=(?:--)?[a-z<[])/gm;

/** What follows a command whose output goes on into a pipe or a file. */
const ONWARD = / [|>]/;

/**
 * The command line that runs these words the way this process was started, so that a hint can be copied: `refbridge
 * setup` where it is installed and in the Docker image, `npx refbridge setup` under npx, `npm run refbridge -- setup`
 * in a clone.
 */
export function commandLine(words: string, invocation: Invocation = HERE): string {
  return `${nameOf(invocation)} ${words}`;
}

/**
 * The text with every `refbridge …` in it as it is called here. Where something else reads its output, npm is told to be
 * silent: its banner would stand before the data.
 */
export function asCalled(text: string, invocation: Invocation = HERE): string {
  return text.replaceAll(COMMAND, (_, before: string, at: number) => {
    const [rest = ''] = text.slice(at + before.length).split('\n');
    const isRead = before === '(' || ONWARD.test(rest);
    return `${before}${nameOf(invocation, isRead)} `;
  });
}

function nameOf({ isClone, environment }: Invocation, isRead = false): string {
  if (isClone) return `npm run ${isRead ? '-s ' : ''}refbridge --`;
  return environment.npm_command === 'exec' ? 'npx refbridge' : 'refbridge';
}
