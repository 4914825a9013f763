import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { redated } from '../../../src/cli/replay/redate.ts';
import { PROCESSORS } from '../../../src/core/processor.ts';
import { ROOT } from '../../helpers/source-modules.ts';

const NOW = Date.UTC(2027, 2, 3, 4, 5, 6);
const move = (payload: string, now = NOW) => redated(Buffer.from(payload), now).toString();

describe('an example redated to today', () => {
  it('moves all its times by whole days, in their own format, and nothing else', () => {
    const payload = `{"created":1784196000,"data":{"amount":1784196000,"id":12345678901234567890,"due_date":1784282400,
      "at":"2026-07-16T12:00:00+02:00","day":"2026-07-15","note":"on 2026-07-16","event_timestamp_ms":1784196000123}}`;
    // 2026-07-16T10:00:00Z is 229 whole days before the latest possible such time
    expect(JSON.parse(move(payload))).toEqual({
      created: 1784196000 + 229 * 86_400,
      data: {
        amount: 1784196000,
        id: Number('12345678901234567890'),
        due_date: 1784282400 + 229 * 86_400,
        at: '2027-03-02T12:00:00+02:00',
        day: '2027-03-01',
        note: 'on 2026-07-16',
        event_timestamp_ms: 1784196000123 + 229 * 86_400_000,
      },
    });
    expect(move(payload)).toContain('"id":12345678901234567890');
  });

  it('has the same text all day, and is unchanged without an event time', () => {
    const payload = '{"created":1784196000}';
    expect(move(payload, NOW + 3_600_000)).toBe(move(payload));
    expect(move('{"due_date": 1784196000}')).toBe('{"due_date": 1784196000}');
  });

  it.each(PROCESSORS)('finds the time of the event in every example of %s that has times', (processor) => {
    const folder = join(ROOT, 'fixtures', processor);
    const names = readdirSync(folder).filter((name) => name.endsWith('.json') && !name.endsWith('.expected.json'));
    expect(names.length).toBeGreaterThan(0);
    const unmoved = names.filter((name) => {
      const body = readFileSync(join(folder, name));
      if (!/"\d{4}-\d\d-\d\d[T ]|\b1[78]\d{8}\b/.test(body.toString())) return false;
      return redated(body, NOW).toString().replaceAll(/\s/g, '') === body.toString().replaceAll(/\s/g, '');
    });
    expect(unmoved).toEqual([]);
  });
});
