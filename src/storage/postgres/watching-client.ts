import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import pg from 'pg';

/** The part of pg's connection that this file uses; pg's types do not declare it. */
interface Connection extends EventEmitter {
  attachListeners(stream: Pick<Duplex, 'on'>): void;
}

/**
 * A connection that knows whether its server is a standby, which PostgreSQL 14 and later report. An address that moves
 * to another primary may lead to the old one for a moment, which by then is a standby. A connection that was opened in
 * that moment would last, and show an outdated state for as long as the process lives.
 *
 * It breaks on an answer that cannot be read. A pooler that loses its server in the middle of a message writes its own
 * error into that message; pg throws where only the process could catch it.
 */
export class WatchingClient extends pg.Client {
  #isOnStandby = false;

  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: Connection };
    connection.on('parameterStatus', (status: { parameterName: string; parameterValue: string }) => {
      if (status.parameterName === 'in_hot_standby') this.#isOnStandby = status.parameterValue === 'on';
    });
    const attachListeners = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => attachListeners(breakingOnErrors(stream as Duplex));
  }

  get isOnStandby(): boolean {
    return this.#isOnStandby;
  }
}

/** The stream's events, whose listeners break it when they throw. */
function breakingOnErrors(stream: Duplex): Pick<Duplex, 'on'> {
  const on = (event: string, listener: (...values: unknown[]) => void) =>
    stream.on(event, (...values) => {
      try {
        listener(...values);
      } catch (error) {
        stream.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    });
  return { on } as Pick<Duplex, 'on'>;
}
