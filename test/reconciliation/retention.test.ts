import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteOldItems } from '../../src/reconciliation/retention.ts';
import { engines } from '../helpers/databases.ts';
import { unique } from '../helpers/story.ts';
import { checkoutCompleted, refundOf } from '../helpers/stripe-payloads.ts';
import { createStage, type Stage, write } from './stage.ts';

const DAY_MS = 86_400_000;

describe.each(engines)('what a dry run keeps of missing deliveries, on %s,', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
  });
  afterAll(() => stage.app.close());

  const rowsOf = (table: string) =>
    stage.app.service.database.read((tx) => tx.all<Record<string, unknown>>(`SELECT * FROM ${table}`));

  it('names no person, and is deleted 90 days after its end, with what names it', async () => {
    const { app, past, referrer, clock } = stage;
    const externalId = unique('user');
    await referrer.lead(externalId);
    const [customer, paymentIntent] = [unique('cus'), unique('pi')];
    const sold = checkoutCompleted({ externalId, customer, paymentIntent });
    write(past, sold, refundOf(paymentIntent, unique('re'), 1_000, 'succeeded'));
    const { id, counts } = await stage.reconcile({ dryRun: true });
    expect(counts).toMatchObject({ sales: 1, reversals: 1 });

    const references = await rowsOf('reconciliation_references');
    expect(new Set(references.map(({ delivery_key }) => delivery_key)).size).toBe(2);
    expect(references).toContainEqual(expect.objectContaining({ reference: paymentIntent }));
    const kept = JSON.stringify([references, await rowsOf('reconciliation_items')]);
    for (const person of [externalId, customer, 'mia@example.com', 'Mia Example']) expect(kept).not.toContain(person);

    clock.aheadMs = 89 * DAY_MS;
    expect(await deleteOldItems(app.service)).toBe(0);
    expect(await rowsOf('reconciliation_references')).toEqual(references);
    clock.aheadMs = 91 * DAY_MS;
    expect(await deleteOldItems(app.service)).toBe(2);
    clock.aheadMs = 0;
    expect(await rowsOf('reconciliation_references')).toEqual([]);
    expect(await rowsOf('reconciliation_items')).toEqual([]);
    expect(await stage.get(id)).toMatchObject({ counts, missing: [] });
  });
});
