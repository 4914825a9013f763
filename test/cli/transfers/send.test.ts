import { describe, expect, it } from 'vitest';
import type { AccountApi } from '../../../src/cli/api/account-api.ts';
import { sendPayouts } from '../../../src/cli/transfers/send.ts';
import type { PayoutInFull } from '../../../src/client/api-types.ts';
import { ServiceError } from '../../../src/errors.ts';

const PAST = '2026-01-01T00:00:00.000Z';

function payout(id: string, status: PayoutInFull['status'], nextAttemptAt: string | null = PAST): PayoutInFull {
  const transfer = { status: 'sending', problem: null, nextAttemptAt } as PayoutInFull['transfer'];
  return { id, status, amount: 5_000, currency: 'eur', note: null, transfer } as PayoutInFull;
}

interface Stub {
  /** How often each payout is looked at before it is paid. */
  looks?: number;
  /** What a command without a server sees to each time; null: a server runs. */
  worked?: (number | null)[];
  onOrder?: (id: string) => void;
}

function createStub({ looks = 1, worked = [], onOrder = () => {} }: Stub) {
  const looked = new Map<string, number>();
  const shown: string[] = [];
  const calls: string[] = [];
  const api = {
    async call(operationId: string, { parameters: { id } }: { parameters: { id: string } }) {
      calls.push(`${operationId} ${id}`);
      if (operationId === 'sendPayout') {
        onOrder(id);
        return payout(id, 'processing');
      }
      const count = (looked.get(id) ?? 0) + 1;
      looked.set(id, count);
      return count < looks ? payout(id, 'processing') : payout(id, 'paid', null);
    },
    finish: async () => worked.shift() ?? null,
  } as unknown as AccountApi;
  const progress = { show: (text: string) => void shown.push(text), clear() {} };
  const send = (ids: string[], wait = true) => {
    const candidates = ids.map((id) => ({
      id,
      partnerId: 'ptr_1',
      partnerName: 'Ana',
      amount: 5_000,
      currency: 'eur',
    }));
    return sendPayouts(api, candidates, { wait, progress, onEnded() {} });
  };
  return { send, shown, calls };
}

describe('sending payouts', () => {
  it('orders all of them, and looks at a few at a time, in turn, which leaves the key most of its requests', async () => {
    const ids = ['pay_1', 'pay_2', 'pay_3', 'pay_4', 'pay_5', 'pay_6'];
    const { send, calls } = createStub({});
    const { data } = await send(ids);
    expect(data.map(({ id }) => id)).toEqual(ids);
    expect(calls).toEqual([...ids.map((id) => `sendPayout ${id}`), ...ids.map((id) => `getPayout ${id}`)]);
  });

  it('says that another process may still have what a killed one was sending, and for how long', async () => {
    const { send, shown } = createStub({ looks: 2, worked: [0, 1] });
    await send(['pay_1']);
    expect(shown).toContain(
      '0 of 1 ended; another process is sending: if it was stopped, this continues within two minutes',
    );
    const busy = createStub({ looks: 2, worked: [1, 1] });
    await busy.send(['pay_1']);
    expect(busy.shown).toContain('0 of 1 ended');
  });

  it('does not wait after an error that ends it early: what was ordered, and what is left, is known', async () => {
    const { send, calls } = createStub({
      onOrder(id) {
        if (id === 'pay_2') throw new ServiceError('INTERNAL_ERROR', 'Broken');
      },
    });
    const { data, stopped } = await send(['pay_1', 'pay_2', 'pay_3']);
    expect([data.map(({ id, status }) => [id, status]), stopped?.ids]).toEqual([
      [['pay_1', 'processing']],
      ['pay_2', 'pay_3'],
    ]);
    expect(calls).toEqual(['sendPayout pay_1', 'sendPayout pay_2']);
  });

  it.each([
    ['that cannot be sent', 'INVALID_STATE', 'It is in a file'],
    ['whose partner is paid in another way meanwhile', 'CONFLICT', 'How Ana is paid changed meanwhile: try again'],
  ] as const)('goes on after one %s, and does not look at it', async (_which, code, message) => {
    const { send, calls } = createStub({
      onOrder(id) {
        if (id === 'pay_1') throw new ServiceError(code, message);
      },
    });
    const { data, failed, stopped } = await send(['pay_1', 'pay_2']);
    expect([data.map(({ id }) => id), stopped]).toEqual([['pay_2'], null]);
    expect(failed).toEqual([{ id: 'pay_1', code, message }]);
    expect(calls).not.toContain('getPayout pay_1');
  });
});
