import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { shortIdOf } from '../../src/core/short-id.ts';
import { unique } from '../helpers/story.ts';
import { connectStripe, json, newFile, newPartner, newPayout, newSendable } from './audited-scene.ts';

/** By command about paying partners: makes the change; returns the resource and the action of its last audit entry. */
export const PAYOUT_CHANGES: Record<string, () => Promise<[resourceId: string, action: string]>> = {
  'payouts file': async () => [(await newFile()).fileId, 'payout_file.create'],
  'payouts file-results': async () => {
    const { payoutId } = await newFile();
    const report = join(tmpdir(), `${unique('report')}.csv`);
    writeFileSync(report, `id,status,reason\r\n${shortIdOf(payoutId)},paid,"No, 7"\r\n`);
    expect(await json('payouts', 'file-results', report)).toEqual({ paid: 1, failed: 0, unchanged: 0, problems: [] });
    expect((await json('payouts', 'file-results', report)).unchanged).toBe(1);
    rmSync(report);
    return [payoutId, 'payout_file.results'];
  },
  'payouts send': async () => {
    const id = await newSendable();
    await json('payouts', 'send', id);
    return [id, 'payout.send'];
  },
  'rails connect': async () => [await connectStripe(), 'rail.connect'],
  'rails disconnect': async () => {
    const id = await connectStripe();
    await json('rails', 'disconnect', 'stripe');
    return [id, 'rail.disconnect'];
  },
  'partners onboarding-link': async () => {
    await connectStripe();
    const id = await newPartner();
    await json('partners', 'onboarding-link', id);
    return [id, 'partner.set_payout_details'];
  },
  'payouts run': async () => [await newPayout(), 'payout.start'],
  ...Object.fromEntries(
    [
      ['mark-paid', 'payout.mark_paid'],
      ['mark-failed', 'payout.mark_failed'],
      ['cancel', 'payout.cancel'],
    ].map(([command = '', action = '']) => [
      `payouts ${command}`,
      async (): Promise<[string, string]> => {
        const id = await newPayout();
        await json('payouts', command, id);
        return [id, action];
      },
    ]),
  ),
};
