/** Refbridge as it is served, on a free port. Environment: as for `refbridge serve`. Prints its port. */
import { readConfig } from '../../src/config.ts';
import { startServer } from '../../src/main.ts';

const running = await startServer(readConfig(process.env));
process.stdout.write(`${new URL(running.url).port}\n`);
