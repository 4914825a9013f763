import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from './config.ts';
import { ConfigError, type ConfigProblem } from './config-error.ts';

type Place = Pick<Config, 'port' | 'host'>;

/**
 * Listens, and returns the address: `http://127.0.0.1:3000`.
 *
 * @throws ConfigError when it cannot listen there
 */
export function listen(server: Server, { port, host }: Place): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const problem = listenProblem(error.code, { port, host });
      reject(problem === null ? error : new ConfigError([problem]));
    });
    server.listen(port, host, () => {
      const address = server.address() as AddressInfo;
      const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      resolve(`http://${name}:${address.port}`);
    });
  });
}

function listenProblem(code: string | undefined, { port, host }: Place): ConfigProblem | null {
  switch (code) {
    case 'EADDRINUSE':
      return {
        name: 'PORT',
        message:
          `${port} is in use: stop the process that listens there, or choose another port. Set it in .env, so that ` +
          'the links and addresses that commands print have it, too',
      };
    case 'EACCES':
      return {
        name: 'PORT',
        message: `${port} needs more rights: choose one above 1023, and let a proxy listen there`,
      };
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return { name: 'HOST', message: `${host} is no address of this machine: use 0.0.0.0, or :: with IPv6` };
    default:
      return null;
  }
}
