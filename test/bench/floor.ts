/**
 * The minimum that can store the same sales with the same durability: `node:http`, a bare HMAC, the statements that an
 * integrator would write by hand, committed in groups. Environment: DATABASE, SECRET. Prints its port.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openByHand } from './by-hand.ts';

const secret = process.env.SECRET ?? '';
const { database, record } = openByHand(process.env.DATABASE ?? '');

const waiting: { body: string; response: ServerResponse }[] = [];
const ANSWER = '{"received":true}';

const commitAll = database.transaction((group: typeof waiting) => {
  for (const { body } of group) record(JSON.parse(body), body);
});

function flush(): void {
  const group = waiting.splice(0);
  commitAll.immediate(group);
  for (const { response } of group) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length }).end(ANSWER);
  }
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const [, timestamp = '', signature = ''] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request.headers['stripe-signature'])) ?? [];
    const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
    if (signature === '' || !timingSafeEqual(expected, Buffer.from(signature, 'hex'))) {
      response.writeHead(401, { 'content-length': 0 }).end();
      return;
    }
    waiting.push({ body: body.toString('utf8'), response });
    if (waiting.length === 1) setImmediate(flush);
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
