import { expect, expectTypeOf, it } from 'vitest';
import { claimKeys } from '../../src/app/claims.ts';
import type { ClaimKey, Transaction } from '../../src/storage/database.ts';
import { asId } from '../helpers/ids.ts';

it('claim keys are the same as in every earlier version, which may run in another process', () => {
  expect([
    claimKeys.external(asId('acc_1'), 'user 1'),
    claimKeys.click(asId('acc_1'), 'clk_1'),
    claimKeys.email(asId('acc_1'), 'Ana@Example.com'),
    claimKeys.reference(asId('acc_1'), 'in_1'),
    claimKeys.identity(asId('acc_1'), 'stripe', 'cus_1'),
    claimKeys.payment('pmt_1'),
    claimKeys.refund(asId('acc_1'), 're_1'),
    claimKeys.dispute(asId('acc_1'), 'dp_1'),
    claimKeys.payout(asId('ptr_1'), 'usd'),
    claimKeys.delivery(asId('dlv_1')),
    claimKeys.endpoint('whe_1'),
    claimKeys.program('prg_1'),
    claimKeys.partner('ptr_1'),
    claimKeys.partnerEmail(asId('prg_1'), 'ana@example.com'),
    claimKeys.partnerTenant(asId('prg_1'), 'tenant 1'),
    claimKeys.operators(asId('acc_1')),
    claimKeys.link('lnk_1'),
    claimKeys.linkKey('refer.example.com', 'ana'),
  ]).toEqual([
    'external acc_1 user 1',
    'click acc_1 clk_1',
    'email acc_1 ana@example.com',
    'reference acc_1 in_1',
    'identity acc_1 stripe cus_1',
    'payment pmt_1',
    'refund acc_1 re_1',
    'dispute acc_1 dp_1',
    'payout ptr_1 usd',
    'delivery dlv_1',
    'endpoint whe_1',
    'program prg_1',
    'partner ptr_1',
    'partner email prg_1 ana@example.com',
    'partner tenant prg_1 tenant 1',
    'operators acc_1',
    'link lnk_1',
    'link key refer.example.com/ana',
  ]);
});

it('claim keys cannot be arbitrary text', () => {
  expectTypeOf<string>().not.toExtend<ClaimKey>();
  expectTypeOf<Parameters<Transaction['claim']>[0]>().returns.toEqualTypeOf<readonly ClaimKey[]>();
});
