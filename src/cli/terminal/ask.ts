import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CommandError, EXIT } from './exit-codes.ts';

/** Asks on the terminal; what is typed is shown. */
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

/** Asks for a secret: without echo on a terminal, from the first line of standard input otherwise. */
export async function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return ((await text(process.stdin)).split('\n')[0] ?? '').trim();
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const asked = createInterface({ input: process.stdin, output: nowhere, terminal: true });
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
