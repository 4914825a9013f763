import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { runImport, SOURCE_FIXTURES } from '../exchange/sources/index.ts';
import { unique } from '../helpers/story.ts';
import { STRIPE_KEY } from '../helpers/stripe-connect.ts';
import { PAYOUT_CHANGES } from './audited-payouts.ts';
import {
  account,
  closeScene,
  entries,
  importPartner,
  json,
  newDelivery,
  newFlaggedSale,
  newHook,
  newLink,
  newPartner,
  newReconciled,
  openScene,
  owe,
  stripe,
  workplace,
} from './audited-scene.ts';
import { namesOf, WITHOUT_ENTRY } from './command-names.ts';

beforeAll(openScene);
afterAll(closeScene);

const ARCHIVED: Record<string, () => Promise<string>> = {
  links: newLink,
  partners: newPartner,
  programs: async () => (await json('programs', 'create', '--name', unique('program'))).id,
};

const changePartner = async (command: string, action: string): Promise<[string, string]> => {
  const id = await newPartner();
  await json('partners', command, id);
  return [id, `partner.${action}`];
};

/** By command: makes the change; returns the resource and the action of its last audit entry. */
const CHANGES: Record<string, () => Promise<[resourceId: string, action: string]>> = {
  setup: async () => [account.accountId, 'account.create'],
  'accounts create': async () => [(await json('accounts', 'create', '--name', 'Second')).accountId, 'account.create'],
  'keys create': async () => [(await json('keys', 'create', '--name', 'shop')).id, 'api_key.create'],
  'keys revoke': async () => {
    const { id } = await json('keys', 'create', '--name', 'shop');
    await json('keys', 'revoke', id);
    return [id, 'api_key.revoke'];
  },
  'login-link': async () => {
    await json('login-link');
    return [(await json('operators', 'list')).data[0].id, 'operator.invite'];
  },
  'operators invite': async () => {
    const { operator } = await json('operators', 'invite', '--name', 'Ida', '--email', `${unique('ida')}@example.com`);
    return [operator.id, 'operator.create'];
  },
  'operators remove': async () => {
    const { operator } = await json('operators', 'invite', '--name', 'Ida', '--email', `${unique('ida')}@example.com`);
    await json('operators', 'remove', operator.id);
    return [operator.id, 'operator.delete'];
  },
  'partners create': async () => [await newPartner(), 'partner.create'],
  'operators update': async () => {
    const { operator } = await json('operators', 'invite', '--name', 'Ida', '--email', `${unique('ida')}@example.com`);
    await json('operators', 'update', operator.id, '--role', 'viewer');
    return [operator.id, 'operator.update'];
  },
  'partners update': async () => {
    const id = await newPartner();
    await json('partners', 'update', id, '--name', 'Anna');
    return [id, 'partner.update'];
  },
  'links update': async () => {
    const words = ['--partner', await newPartner(), '--url', 'https://shop.example.com/'];
    const { id } = await json('links', 'create', ...words);
    await json('links', 'update', id, '--url', 'https://shop.example.com/new');
    return [id, 'link.update'];
  },
  'programs update': async () => {
    await json('programs', 'update', account.programId, '--hold-days', '0');
    return [account.programId, 'program.update'];
  },
  'ledger adjust': async () => {
    const words = ['--partner', await newPartner(), '--amount', '-1EUR', '--reason', 'mistake'];
    return [(await json('ledger', 'adjust', ...words)).id, 'adjustment.create'];
  },
  'sales approve': async () => {
    const id = await newFlaggedSale();
    await json('sales', 'approve', id);
    return [id, 'sale.approve'];
  },
  'sales reject': async () => {
    const id = await newFlaggedSale();
    await json('sales', 'reject', id);
    return [id, 'sale.reject'];
  },
  'refunds create': async () => {
    const id = await newFlaggedSale();
    await json('refunds', 'create', '--sale', id, '--refund-id', unique('re'), '--amount', '1EUR');
    return [id, 'sale.refund'];
  },
  'partners portal-link': () => changePartner('portal-link', 'create_portal_link'),
  'partners end-portal-access': () => changePartner('end-portal-access', 'end_portal_access'),
  'links create': async () => {
    const words = ['--partner', await newPartner(), '--url', 'https://shop.example.com/'];
    return [(await json('links', 'create', ...words)).id, 'link.create'];
  },
  'endpoints create': async () => [
    (await json('endpoints', 'create', '--processor', 'paddle')).id,
    'webhook_endpoint.create',
  ],
  'endpoints update': async () => {
    await json('endpoints', 'update', stripe, '--secret', 'whsec_never_to_be_seen_2');
    return [stripe, 'webhook_endpoint.update'];
  },
  'endpoints delete': async () => {
    const { id } = await json('endpoints', 'create', '--processor', 'paddle');
    await json('endpoints', 'delete', id);
    return [id, 'webhook_endpoint.delete'];
  },
  'events endpoints create': async () => [await newHook(), 'event_endpoint.create'],
  ...Object.fromEntries(
    ['update --description orders', 'rotate', 'test', 'resend --since 2026-01-01', 'delete'].map((line) => {
      const [command = '', ...options] = line.split(' ');
      return [
        `events endpoints ${command}`,
        async (): Promise<[string, string]> => {
          const id = await newHook();
          await json('events', 'endpoints', command, id, ...options);
          return [id, `event_endpoint.${command}`];
        },
      ];
    }),
  ),
  'events resend': async () => {
    const endpoint = await newHook();
    const { id } = await json('events', 'endpoints', 'test', endpoint);
    await json('events', 'resend', id, '--endpoint', endpoint);
    return [id, 'event.resend'];
  },
  'deliveries retry': async () => {
    const { deliveryId } = await newDelivery();
    await json('deliveries', 'retry', deliveryId);
    return [deliveryId, 'delivery.retry'];
  },
  'parked attribute': async () => {
    const { paymentId } = await newDelivery();
    await json('parked', 'attribute', paymentId, '--partner', await newPartner());
    return [paymentId, 'parked_payment.attribute'];
  },
  'import csv': async () => [await importPartner(), 'account.import'],
  ...Object.fromEntries(
    Object.keys(SOURCE_FIXTURES).map((source) => [
      `import ${source}`,
      async (): Promise<[string, string]> => {
        const program = (await json('programs', 'list')).data[0].name;
        const options = ['--program', program, '--link-url', 'https://shop.example.com/'];
        expect((await runImport(workplace, ['import', source, ...options])).stderr).toContain('created');
        return [(await json('sales', 'list')).data[0].id, 'account.import'];
      },
    ]),
  ),
  reconcile: async () => [await newReconciled(), 'webhook_endpoint.reconcile'],
  erase: async () => {
    const id = await newPartner();
    await json('erase', id, '--yes');
    return [id, 'partner.erase'];
  },
  ...Object.fromEntries(
    Object.entries(ARCHIVED).flatMap(([subject, create]) =>
      ['archive', 'unarchive', 'delete'].map((command) => [
        `${subject} ${command}`,
        async (): Promise<[string, string]> => {
          const id = await create();
          if (command === 'unarchive') await json(subject, 'archive', id);
          await json(subject, command, id);
          return [id, `${subject.slice(0, -1)}.${command}`];
        },
      ]),
    ),
  ),
  ...PAYOUT_CHANGES,
  'programs create': async () => [(await json('programs', 'create', '--name', 'Second')).id, 'program.create'],
};

describe('every command that changes something', () => {
  it('is listed here, as is every other command', async () => {
    expect(namesOf(await createProgram()).toSorted()).toEqual([...WITHOUT_ENTRY, ...Object.keys(CHANGES)].toSorted());
  });

  it.each(Object.keys(CHANGES))('is in the audit log, with who did it: %s', async (command) => {
    const [resourceId, action] = (await CHANGES[command]?.()) ?? [];
    const last = (await entries(resourceId)).at(-1);
    const accountId = command === 'accounts create' ? resourceId : account.accountId;
    const actor = { actorId: 'command line', actorName: userInfo().username };
    expect(last).toMatchObject({ ...actor, accountId, resourceId, action });
  });

  it('records the values before and after, and no secret', async () => {
    const { id } = await json('keys', 'create', '--name', 'to be revoked');
    await json('keys', 'revoke', id);
    const [created, revoked] = await entries(id);
    expect(created?.changes.name).toEqual({ before: null, after: 'to be revoked' });
    expect(revoked?.changes).toEqual({ revokedAt: { before: null, after: expect.stringMatching(/Z$/) } });
    await json('endpoints', 'update', stripe, '--secret', 'whsec_never_to_be_seen_3');
    expect((await entries(stripe)).at(-1)?.changes).toEqual({ secrets: { before: 'hidden', after: 'hidden' } });
    const stored = JSON.stringify(await entries());
    for (const secret of ['never_to_be_seen', STRIPE_KEY, 'rb_signin_', 'rb_portalcode_'])
      expect(stored).not.toContain(secret);
    expect(stored).not.toMatch(/rb_live_\w{9}/);
  });

  it('leaves no entry when it was refused, or was a dry run', async () => {
    await owe();
    const before = await entries();
    expect((await workplace.run(['keys', 'revoke', 'key_none'])).exitCode).toBe(1);
    expect((await json('payouts', 'run', '--dry-run')).payoutCount).toBeGreaterThan(0);
    expect(await entries()).toEqual(before);
  });
});
