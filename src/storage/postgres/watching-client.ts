import type { EventEmitter } from 'node:events';
import pg from 'pg';

/**
 * A connection that knows whether its server is a standby, which PostgreSQL 14 and later report. An address that moves
 * to another primary may lead to the old one for a moment, which by then is a standby. A connection that was opened in
 * that moment would last, and show an outdated state for as long as the process lives.
 */
export class WatchingClient extends pg.Client {
  #isOnStandby = false;

  constructor(config?: pg.ClientConfig) {
    super(config);
    // not declared by pg's types
    const { connection } = this as unknown as { connection: EventEmitter };
    connection.on('parameterStatus', (status: { parameterName: string; parameterValue: string }) => {
      if (status.parameterName === 'in_hot_standby') this.#isOnStandby = status.parameterValue === 'on';
    });
  }

  get isOnStandby(): boolean {
    return this.#isOnStandby;
  }
}
