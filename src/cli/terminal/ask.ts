import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CommandError, EXIT } from './exit-codes.ts';

/** Asks on the terminal and shows what is typed. */
export async function ask(question: string): Promise<string> {
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await asked.question(question)).trim();
  } catch (error) {
    throw interrupted(error);
  } finally {
    asked.close();
  }
}

/** Asks for a secret: on a terminal without echo, otherwise from the first line of standard input. */
export async function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return ((await text(process.stdin)).split('\n')[0] ?? '').trim();
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const asked = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // asked once the terminal shows nothing of what is typed
  process.stderr.write(question);
  try {
    return (await asked.question('')).trim();
  } catch (error) {
    throw interrupted(error);
  } finally {
    asked.close();
    process.stderr.write('\n');
  }
}

function interrupted(error: unknown): unknown {
  const isInterruption = error instanceof Error && error.name === 'AbortError';
  return isInterruption ? new CommandError(EXIT.interrupted, 'Stopped; nothing was stored.', error) : error;
}
