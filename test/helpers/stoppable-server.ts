import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { STOPPING } from '../../src/main.ts';
import { COMPILE_CACHE } from './child-process.ts';

const SERVE = `
  import { readConfig } from './src/process/config.ts';
  import { STOPPING, serve } from './src/main.ts';
  const running = await serve(readConfig(process.env), { ...STOPPING, ...JSON.parse(process.env.STOPPING ?? '{}') });
`;

/** The environment of a server that takes these times to stop. */
export const stopping = (times: Partial<typeof STOPPING>) => ({ STOPPING: JSON.stringify(times) });

/** A notice that `HELD_NOTICE` tells from other waits. */
export const HELD_NOTICE_MS = 77_777;

/** A script for the server: its notice of `HELD_NOTICE_MS` ends when the test sends SIGUSR2, however slow the machine is. */
export const HELD_NOTICE = `
  import timers from 'node:timers/promises';
  import { syncBuiltinESMExports } from 'node:module';
  const { setTimeout: sleep } = timers;
  timers.setTimeout = (ms, ...rest) =>
    ms === ${HELD_NOTICE_MS} ? new Promise((resolve) => process.once('SIGUSR2', resolve)) : sleep(ms, ...rest);
  syncBuiltinESMExports();
`;

interface LogLine {
  time: string;
  url: string;
}

export interface StoppableServer {
  child: ChildProcess;
  url: string;
  /** Settles with the log line that has this `message`; rejects when the process exits before. */
  logged(message: string): Promise<LogLine>;
}

/** @param script runs in the process once `running` listens */
export async function startStoppable(environment: Record<string, string>, script = ''): Promise<StoppableServer> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SERVE + script], {
    env: { PATH: process.env.PATH, ...COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const lines: string[] = [];
  const reading = createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  let isOver = false;
  reading.once('close', () => {
    isOver = true;
  });
  const logged = async (message: string): Promise<LogLine> => {
    for (;;) {
      const line = lines.find((candidate) => candidate.includes(`"${message}"`));
      if (line !== undefined) return JSON.parse(line);
      if (isOver) throw new Error(`The server ended without "${message}":\n${lines.join('\n')}`);
      await Promise.race([once(reading, 'line'), once(reading, 'close')]);
    }
  };
  return { child, logged, url: (await logged('listening')).url };
}
