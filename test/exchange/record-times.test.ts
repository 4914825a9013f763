import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { timeField } from '../../src/exchange/sources/records.ts';

const HALF_PAST_MIDNIGHT = Date.UTC(2026, 10, 1, 0, 30);

describe('a time in the record of another service, on a machine in New York', () => {
  beforeEach(() => {
    vi.stubEnv('TZ', 'America/New_York');
    expect(Date.parse('2026-11-01T00:30:00')).not.toBe(HALF_PAST_MIDNIGHT);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each(['2026-11-01T00:30:00', '2026-11-01T00:30', '2026-11-01T00:30:00.000000'])(
    'is UTC where it names no zone: %s',
    (time) => {
      expect(timeField.parse(time)).toBe(HALF_PAST_MIDNIGHT);
    },
  );

  it.each(['2026-11-01T00:30:00Z', '2026-10-31T20:30:00-04:00', '2026-11-01T02:00:00.000+0130', HALF_PAST_MIDNIGHT])(
    'is what it says where it names one, or counts milliseconds: %s',
    (time) => {
      expect(timeField.parse(time)).toBe(HALF_PAST_MIDNIGHT);
    },
  );

  it.each(['2026-11-01', '2026-11-01T', '2026-11-01T25:00:00', 'yesterday', ''])('is refused: %j', (time) => {
    expect(timeField.safeParse(time).success).toBe(false);
  });
});
