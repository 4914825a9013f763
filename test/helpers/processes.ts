import { type Answer, type CallOptions, call, createTestApp, type TestApp } from './app.ts';
import type { Engine } from './databases.ts';
import { startServing } from './serving-process.ts';

/** A service whose requests go to several processes, if the engine allows more than one. */
export interface Processes {
  /** In this process, to set up a story and inspect the result. */
  app: TestApp;
  /** The URLs of the processes: two on PostgreSQL, one on SQLite. */
  urls: string[];
  /** The URL of the `number`th process, in rotation. */
  urlOf(number: number): string;
  /** One request as the account, to the `number`th process in rotation. */
  call(number: number, method: string, path: string, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

/** On SQLite the service in this process; on PostgreSQL two separate processes on one database. */
export async function createProcesses(engine: Engine): Promise<Processes> {
  const app = await createTestApp(engine);
  const others =
    engine === 'sqlite' ? [] : await Promise.all([startServing(app.databaseUrl), startServing(app.databaseUrl)]);
  const urls = others.length === 0 ? [app.url] : others.map((other) => other.url);
  const urlOf = (number: number) => urls[number % urls.length] ?? app.url;
  return {
    app,
    urls,
    urlOf,
    call: (number, method, path, options = {}) => call(urlOf(number) + path, method, { key: app.apiKey, ...options }),
    async close() {
      await Promise.all(others.map((other) => other.kill()));
      await app.close();
    },
  };
}
