/** Express answering the same 302 to every request, recording nothing. Prints its port. */
import type { AddressInfo } from 'node:net';
import express from 'express';

const app = express();
app.get('/:key', (_request, response) => response.redirect(302, 'https://example.com/'));
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
