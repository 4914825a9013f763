import { DAY_MS, isoDate } from '../../core/time.ts';
import { rawJSON } from './raw-json.ts';

/** Members that hold the time of the event; other times in a payload are before or after it. */
const EVENT_TIME =
  /^(created|(created|updated|processed|occurred|purchased|refunded|initiated|event_timestamp)_at(_ms)?|event_timestamp_ms|timestamp)$/;
/** Names of members with seconds or milliseconds since 1970, so that no other number is mistaken for a time. */
const TIME_NAME = /created|updated|_at|_ms$|time|date|start|end|anchor|due|expires/i;
const ISO_DATE = /^(\d{4}-\d{2}-\d{2})(?=$|[T ]\d{2}:\d{2})/;
const SECONDS = /^[12]\d{9}$/;
const MILLISECONDS = /^[12]\d{12}$/;

/**
 * The payload as if its event had happened within the last 24 hours: all its times move by the same number of whole
 * days, so that its text stays the same all day and a second delivery of it is a duplicate.
 */
export function redated(rawBody: Buffer, now: number): Buffer {
  const text = rawBody.toString('utf8');
  let latest = Number.NEGATIVE_INFINITY;
  forEachTime(text, (name, time) => {
    if (EVENT_TIME.test(name)) latest = Math.max(latest, time);
    return null;
  });
  if (!Number.isFinite(latest)) return rawBody;
  const shiftMs = Math.floor((now - latest) / DAY_MS) * DAY_MS;
  return Buffer.from(JSON.stringify(forEachTime(text, (_name, _time, move) => move(shiftMs))));
}

type Visit = (name: string, time: number, move: (byMs: number) => unknown) => unknown;

/**
 * Parses JSON; `visit` receives each time, in epoch milliseconds, and may return a replacement. Numbers stay as
 * written.
 */
function forEachTime(text: string, visit: Visit): unknown {
  return JSON.parse(text, (name: string, value: unknown, context?: { source?: string }) => {
    if (typeof value === 'number') {
      const source = context?.source ?? String(value);
      const unitMs = SECONDS.test(source) ? 1_000 : MILLISECONDS.test(source) ? 1 : 0;
      const moved =
        unitMs > 0 && TIME_NAME.test(name)
          ? visit(name, value * unitMs, (byMs) => rawJSON(String(value + byMs / unitMs)))
          : null;
      return moved ?? rawJSON(source);
    }
    const date = typeof value === 'string' ? ISO_DATE.exec(value)?.[1] : undefined;
    if (date === undefined || typeof value !== 'string') return value;
    const move = (byMs: number) => value.replace(date, isoDate(Date.parse(date) + byMs));
    const time = Date.parse(value);
    return (Number.isNaN(time) ? null : visit(name, time, move)) ?? value;
  });
}
