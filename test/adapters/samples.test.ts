import { describe, expect, test } from 'vitest';
import { adapters } from '../../adapters/index.ts';
import { enforceFactLimits } from '../../src/core/fact-limits.ts';
import { PROCESSORS } from '../../src/core/processor.ts';
import { anySettingsOf, secretsOf } from './endpoints.ts';
import { loadSamples, SAMPLES_FOLDER } from './samples.ts';
import { flawsOf } from './well-formed.ts';

if (SAMPLES_FOLDER === null) {
  process.stderr.write('PROCESSOR_SAMPLES names no folder: no published payload of a processor is read\n');
}

describe('the payloads that processors have published', () => {
  const samples = PROCESSORS.flatMap((processor) =>
    SAMPLES_FOLDER === null ? [] : loadSamples(SAMPLES_FOLDER, processor).map((sample) => ({ processor, ...sample })),
  );

  test.skipIf(SAMPLES_FOLDER === null)('are in the folder named by the environment variable PROCESSOR_SAMPLES', () => {
    expect(samples.length).toBeGreaterThan(30);
  });

  test.each(samples.map((sample) => [sample.processor, sample.file, sample] as const))(
    'of %s: %s is interpreted',
    async (processor, _file, { eventType, rawBody }) => {
      const adapter = await adapters[processor]();
      const headers = adapter.sign(rawBody, secretsOf(adapter, 'whsec_1'), Date.now(), eventType);
      const delivery = adapter.read({ rawBody, headers });
      expect(delivery.eventType).toBe(eventType);
      for (const settings of [adapter.settings.parse({}), anySettingsOf(adapter)]) {
        expect(flawsOf(enforceFactLimits(adapter.interpret(delivery, headers, settings)))).toEqual([]);
      }
    },
  );
});
