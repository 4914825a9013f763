import type { Service } from '../../../app/service.ts';
import { systemClock } from '../../../clock.ts';
import { setIdClock } from '../../../ids.ts';

type Write = Service['database']['write'];

/**
 * The service as it was at `time`: everything that its use cases write has that time, and so do the ids, by which lists
 * are sorted.
 */
export function serviceAt(service: Service, time: number): Service {
  const { database } = service;
  const clock = () => time;
  // also set inside the unit, because units of several times may wait for one commit; SQLite runs them one by one
  const write: Write = (unit, options) =>
    database.write((tx) => {
      setIdClock(clock);
      return unit(tx);
    }, options);
  setIdClock(clock);
  return Object.freeze({ ...service, clock, database: { ...database, write } });
}

/** Ends the past: ids carry the real time again. */
export function returnToPresent(): void {
  setIdClock(systemClock);
}
