import { startServer } from './main.ts';
import { readConfig } from './process/config.ts';

/** Settings under the names of the environment variables: `{ DATABASE_URL: 'file:./data/refbridge.db', PORT: '3000' }`. */
export type ServerConfig = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RefbridgeServer {
  /** The address that the server listens on: `http://127.0.0.1:3000`. */
  url: string;
  /** Answers requests in flight, then releases the database and the threads. Further calls wait for the first. */
  close(): Promise<void>;
}

/**
 * Runs the whole service in this process: migrates the database, listens, and starts the background jobs, as
 * `refbridge serve` does. Reads nothing from the environment and handles no signals.
 *
 * @throws Error that names every setting that is wrong; when the port is in use, the database cannot be opened safely, or
 * another server uses the same SQLite file
 */
export async function createServer(config: ServerConfig): Promise<RefbridgeServer> {
  const texts = Object.entries(config).map(([name, value]) => [name, value?.toString()]);
  const { url, close } = await startServer(readConfig(Object.fromEntries(texts)));
  return { url, close };
}
