import { pino } from 'pino';
import { afterAll, describe, expect, it } from 'vitest';
import { adapters } from '../../adapters/index.ts';
import type { UnreadDelivery } from '../../src/app/service.ts';
import { PROCESSORS } from '../../src/core/processor.ts';
import { readDelivery } from '../../src/deliveries/interpret.ts';
import { ServiceError } from '../../src/errors.ts';
import { createInterpreter } from '../../src/thread/interpreter.ts';
import { loadFixtures } from '../adapters/fixtures.ts';

const SECRET = 'a secret of 24 characters';

describe('the thread that reads large deliveries', () => {
  const interpreter = createInterpreter({
    readHere: () => expect.unreachable('a delivery was read on this thread'),
    log: pino({ level: 'silent' }),
  });
  afterAll(() => interpreter.close());

  it.each(PROCESSORS)('checks signatures of %s as this thread does', async (processor) => {
    const adapter = await adapters[processor]();
    const [fixture] = await loadFixtures(processor);
    if (fixture === undefined) throw new Error(`No fixture of ${processor}`);
    const { rawBody, settings, eventType } = fixture;
    const now = Date.now();
    const endpoint = (secret: string) => ({ secrets: [secret], authorization: secret, shopDomain: null });
    const headers = { ...fixture.headers, ...adapter.sign(rawBody, endpoint(SECRET), now, eventType) };
    const verifiedWith = (secret: string): UnreadDelivery => ({
      ...{ processor, rawBody, headers, settings, programId: null },
      verification: { secrets: endpoint(secret), now },
    });

    const read = await interpreter.read(verifiedWith(SECRET));
    expect(read.interpreted).toMatchObject({ interpretation: { kind: expect.any(String) }, failure: null });
    expect(read).toStrictEqual(await readDelivery(adapter, verifiedWith(SECRET)));

    const refusal = await readDelivery(adapter, verifiedWith('another')).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'INVALID_SIGNATURE', status: 401 });
    const { message } = refusal as ServiceError;
    const refused = interpreter.read(verifiedWith('another'));
    await expect(refused).rejects.toBeInstanceOf(ServiceError);
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_SIGNATURE', status: 401, message });
  });
});
