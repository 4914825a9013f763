/** node log-much.ts <lines>: logs this many lines at once, prints what that cost, and waits for SIGTERM. */

import { createLog, droppedLogLines } from '../../../src/process/log.ts';

process.once('SIGTERM', () => process.exit(0));
const log = createLog('info', 'json');
const before = process.memoryUsage().rss;
const startedAt = performance.now();
for (let line = 0; line < Number(process.argv[2]); line++) log.info({ line, padding: 'x'.repeat(500) }, 'much');
const mebibytes = Math.round((process.memoryUsage().rss - before) / 1024 ** 2);
const milliseconds = Math.round(performance.now() - startedAt);
process.stdout.write(`${JSON.stringify({ mebibytes, milliseconds, dropped: droppedLogLines() })}\n`);
setInterval(() => {}, 1_000);
