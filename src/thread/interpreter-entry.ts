/** Entry point of the thread that reads and interprets large deliveries. */
import { flushCompileCache } from 'node:module';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { adapters } from '../../adapters/index.ts';
import { interpretDelivery } from '../deliveries/interpret.ts';
import { messageOf } from '../errors.ts';
import type { CopiedDelivery, FromThread } from './interpreter.ts';

const port = parentPort as MessagePort;

port.on('message', async (delivery: CopiedDelivery) => {
  const { buffer, byteOffset, byteLength } = delivery.rawBody;
  const rawBody = Buffer.from(buffer, byteOffset, byteLength);
  try {
    const adapter = await adapters[delivery.processor]();
    send({ result: interpretDelivery(adapter, { ...delivery, rawBody }), failure: null });
  } catch (error) {
    send({ result: null, failure: messageOf(error) });
  }
});
send('ready');
flushCompileCache();

function send(message: FromThread): void {
  port.postMessage(message);
}
