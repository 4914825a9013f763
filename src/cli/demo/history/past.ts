import type { Service } from '../../../app/service.ts';
import { systemClock } from '../../../clock.ts';
import { setIdClock } from '../../../ids.ts';

type Write = Service['database']['write'];

/** The service as it was at `time`: what its use cases write carries that time, and so do the ids, by which lists are sorted. */
export function serviceAt(service: Service, time: number): Service {
  const { database } = service;
  const clock = () => time;
  // set inside the unit as well, because units of several times may wait for one commit; SQLite runs them one by one
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
