/** Entry point of the thread that verifies, reads and interprets large deliveries. */
import { flushCompileCache } from 'node:module';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { adapters } from '../../adapters/index.ts';
import { readDelivery } from '../deliveries/interpret.ts';
import { freeBuffer } from '../free-buffer.ts';
import type { CopiedDelivery, FromThread } from './interpreter.ts';
import { copyError } from './messages.ts';

const port = parentPort as MessagePort;

port.on('message', async (delivery: CopiedDelivery) => {
  const { buffer, byteOffset, byteLength } = delivery.rawBody;
  const rawBody = Buffer.from(buffer, byteOffset, byteLength);
  try {
    const adapter = await adapters[delivery.processor]();
    send({ result: await readDelivery(adapter, { ...delivery, rawBody }), error: null });
  } catch (error) {
    send({ result: null, error: copyError(error) });
  }
  freeBuffer(delivery.rawBody);
});
send('ready');
flushCompileCache();

function send(message: FromThread): void {
  port.postMessage(message);
}
