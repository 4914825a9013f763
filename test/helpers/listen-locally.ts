import type { AddressInfo, Server } from 'node:net';

/**
 * Listens on 127.0.0.1, by default on a free port, and returns the address: `http://127.0.0.1:3000`.
 *
 * @param backlog how many connections may wait to be accepted; Node's default is 511
 */
export async function listenLocally(server: Server, port = 0, backlog?: number): Promise<string> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', backlog, resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
