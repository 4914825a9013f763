import { describe, expect, it } from 'vitest';
import type { Fact } from '../../src/core/facts.ts';
import { getSale } from '../../src/payments/lists/list-sales.ts';
import type { SqlParameters } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { createEmptyDatabase, engines } from '../helpers/databases.ts';
import { migrationsBefore } from '../helpers/earlier-migrations.ts';
import { applyFacts, disputed, hints, received, refunded, refundUndone } from '../helpers/facts.ts';
import { asId } from '../helpers/ids.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { createTestService } from '../helpers/service.ts';

const ACCOUNT = asId<'acc'>('acc_1');
const AT = Date.UTC(2026, 10, 1);

/**
 * Sales of 126.00, of which 100.00 earned a commission of 20.00, and what refunds took from it under the earlier
 * formula.
 */
const SALES: {
  name: string;
  presentment?: SqlParameters;
  refunds: SqlParameters[];
  reversed: number;
  refundedMinor: number;
}[] = [
  {
    name: 'shipping',
    refunds: [{ refund_key: 're_shipping', kind: 'refund', amount: 600 }],
    reversed: 95,
    refundedMinor: 600,
  },
  {
    name: 'failed',
    refunds: [
      { refund_key: 're_failed', kind: 'refund', amount: 3_150, failed: 1 },
      { refund_key: 'cumulative in_failed 6300', kind: 'cumulative', amount: 6_300, occurred_at: AT + 90_000 },
    ],
    reversed: 500,
    refundedMinor: 3_150,
  },
  {
    // seven of 1,000 yen, each rounded to 6.67
    name: 'yen',
    presentment: { presentment_amount: 18_900, presentment_currency: 'jpy' },
    refunds: [1, 2, 3, 4, 5, 6, 7].map((part) => {
      return { refund_key: `re_yen_${part}`, kind: 'refund', amount: 1_000, currency: 'jpy' };
    }),
    reversed: 741,
    refundedMinor: 4_669,
  },
];

function rowsOf({
  name,
  presentment,
  refunds,
  reversed,
  refundedMinor,
}: (typeof SALES)[number]): [string, SqlParameters][] {
  const owner = { account_id: ACCOUNT, created_at: AT };
  const entry = { ...owner, partner_id: 'ptr_1', sale_id: `sal_${name}`, currency: 'usd', available_at: AT };
  return [
    [
      'payments',
      {
        ...owner,
        id: `pmt_${name}`,
        processor: 'stripe',
        state: 'counted',
        sale_id: `sal_${name}`,
        delivery_id: 'dlv_1',
      },
    ],
    [
      'sales',
      {
        ...owner,
        id: `sal_${name}`,
        program_id: 'prg_1',
        partner_id: 'ptr_1',
        customer_id: 'cus_1',
        payment_id: `pmt_${name}`,
        event_name: 'Purchase',
        invoice_id: `in_${name}`,
        payment_processor: 'stripe',
        amount: 10_000,
        gross_amount: 12_600,
        currency: 'usd',
        commission_amount: 2000,
        terms: JSON.stringify({
          commission: { type: 'percentage', rateBasisPoints: 2000 },
          source: 'program',
          durationMonths: null,
          holdDays: 0,
          amountBasis: 'net',
        }),
        available_at: AT,
        refunded_amount: refundedMinor,
        disputed_open: 0,
        matched_by: 'external_id',
        steps: '[]',
        occurred_at: AT,
        ...presentment,
      },
    ],
    ...refunds.map((refund): [string, SqlParameters] => [
      'refunds',
      {
        ...owner,
        processor: 'stripe',
        payment_id: `pmt_${name}`,
        currency: 'usd',
        failed: 0,
        occurred_at: AT,
        ...refund,
      },
    ]),
    ['ledger_entries', { ...entry, id: `ent_${name}_1`, kind: 'commission', amount: 2000 }],
    ['ledger_entries', { ...entry, id: `ent_${name}_2`, kind: 'reversal', amount: -reversed }],
  ];
}

const ROWS: [string, SqlParameters][] = [
  ['accounts', { id: ACCOUNT, name: 'Example Ltd', created_at: AT }],
  [
    'programs',
    {
      id: 'prg_1',
      account_id: ACCOUNT,
      name: 'Partners',
      description: '',
      commission: '{}',
      hold_days: 0,
      minimum_payout: '{}',
      amount_basis: 'net',
      email_matching: 0,
      self_referral: 'off',
      tracked_hosts: '[]',
      portal: '{}',
      created_at: AT,
    },
  ],
  [
    'partners',
    {
      id: 'ptr_1',
      account_id: ACCOUNT,
      program_id: 'prg_1',
      name: 'Pia',
      email: 'pia@example.com',
      status: 'active',
      created_at: AT,
    },
  ],
  ['customers', { id: 'cus_1', account_id: ACCOUNT, program_id: 'prg_1', partner_id: 'ptr_1', created_at: AT }],
  [
    'payouts',
    {
      id: 'pay_1',
      account_id: ACCOUNT,
      program_id: 'prg_1',
      partner_id: 'ptr_1',
      currency: 'usd',
      status: 'queued',
      created_at: AT,
    },
  ],
  ...SALES.flatMap(rowsOf),
];

describe.each(engines)('sales that the earlier formula reversed, on %s', (engine) => {
  it('stay as they are, whatever is reported about them again, and agree with the audit', async () => {
    const empty = await createEmptyDatabase(engine);
    const earlier = await migrationsBefore('0010');
    const before = await openDatabase(empty.url, { migrationsFolder: earlier.folder });
    await before.write(async (tx) => {
      for (const [table, row] of ROWS) {
        const columns = Object.keys(row);
        await tx.run(`INSERT INTO ${table} (${columns}) VALUES (${columns.map((column) => `@${column}`)})`, row);
      }
    });
    await before.close();

    const after = await openDatabase(empty.url);
    const service = createTestService({ database: after });
    const tell = (...facts: Fact[]) => applyFacts(service, ACCOUNT, ...facts);
    const requireUnchanged = async () => {
      for (const { name, reversed, refundedMinor } of SALES) {
        const sale = await getSale(service, ACCOUNT, `sal_${name}`);
        expect(sale).toMatchObject({ refundedAmount: refundedMinor, reversedCommissionAmount: reversed });
      }
      await requireAgreement(service, ACCOUNT);
    };
    await requireUnchanged();
    for (const { name } of SALES) {
      const invoice = `in_${name}`;
      await tell(received([invoice], hints({}), { grossMinor: 12_600 }));
      await tell(disputed([invoice], `dp_${name}`, 12_600, 'won'));
    }
    // the refunds again, now with what they paid back
    await tell(refunded(['in_shipping'], { refundId: 're_shipping', amountMinor: 600, commissionableMinor: 0 }));
    await tell(refunded(['in_failed'], { refundId: 're_failed', amountMinor: 3_150, commissionableMinor: 0 }));
    await tell(refundUndone(['in_failed'], 're_failed', 3_150));
    const yen = { refundId: 're_yen_1', amountMinor: 1_000, commissionableMinor: 0 };
    await tell(refunded(['in_yen'], yen, 'jpy'));
    await requireUnchanged();

    // a new refund follows the new formula: all goods, after a share was taken for shipping
    await tell(refunded(['in_shipping'], { refundId: 're_goods', amountMinor: 6_000, commissionableMinor: 5_000 }));
    expect(await getSale(service, ACCOUNT, 'sal_shipping')).toMatchObject({ reversedCommissionAmount: 1095 });
    await after.close();
    await empty.remove();
    await earlier.remove();
  });
});
