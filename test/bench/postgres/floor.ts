/**
 * The minimum that can store as many requests: `node:http`, and one row for each; waiting requests share a transaction
 * on one pipelined connection. Checks nothing. Environment: DATABASE_URL. Prints its port.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

const client = new pg.Client({ connectionString: process.env.DATABASE_URL, pipeline: true });
await client.connect();

const INSERT = { name: 'add_event', text: 'INSERT INTO events VALUES ($1, $2, $3, $4)' };
const ANSWER = '{"received":true}';
let waiting: { body: string; response: ServerResponse }[] = [];
let isWorking = false;

async function work(): Promise<void> {
  isWorking = true;
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    await Promise.all([
      client.query('BEGIN'),
      ...group.map(({ body }) => client.query({ ...INSERT, values: [randomUUID(), 'any', body, Date.now()] })),
      client.query('COMMIT'),
    ]);
    for (const { response } of group) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length }).end(ANSWER);
    }
  }
  isWorking = false;
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    waiting.push({ body: Buffer.concat(chunks).toString('utf8'), response });
    if (!isWorking) setImmediate(() => void (isWorking || work()));
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
