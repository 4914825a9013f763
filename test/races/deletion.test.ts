import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MovedCommission, MovedPayout } from '../../src/exchange/moved/facts.ts';
import { importFacts } from '../../src/exchange/moved/run.ts';
import { importCustomer } from '../../src/payments/imports/import-customer.ts';
import type { Transaction } from '../../src/storage/database.ts';
import type { Answer } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createProcesses, type Processes } from '../helpers/processes.ts';
import { rounds } from '../helpers/rounds.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { checkoutCompleted, invoicePaid } from '../helpers/stripe-payloads.ts';
import { untilTaken } from '../helpers/until-taken.ts';

const ROUNDS = rounds(60);
const ROUNDS_AT_ONCE = 6;
const URL = 'https://shop.example.com/';

type Named = 'id' | 'partnerId' | 'amountMinor' | 'currency';
type Imported = Omit<MovedCommission, Named> | Omit<MovedPayout, Named>;
const COMMISSION: Imported = {
  kind: 'commission',
  status: 'open',
  occurredAt: 0,
  dueAt: null,
  paidAt: null,
  payout: null,
  payment: { processor: 'custom', invoiceId: null, references: [] },
  sale: null,
};

describe.each(engines)('a deletion and a use of the same resource at the same instant on %s', (engine) => {
  let processes: Processes;
  let referrer: Referrer;
  let stripe: EndpointUnderTest;
  beforeAll(async () => {
    processes = await createProcesses(engine);
    referrer = await createReferrer(processes.app);
    stripe = await createEndpoint(processes.app, 'stripe');
  });
  afterAll(() => processes.close());

  type Send = (process: number) => Promise<Answer>;
  const request =
    (method: string, path: string, body?: object): Send =>
    (process) =>
      processes.call(process, method, path, { body });
  const create = async (path: string, body: object) => {
    const answer = await processes.app.call('POST', path, { body });
    expect([answer.status, answer.text]).toEqual([201, answer.text]);
    return answer.body.id as string;
  };
  const createPartner = (changes: object = {}) => {
    const { programId } = processes.app;
    return create('/api/partners', { programId, name: 'Pia', email: `${unique('pia')}@example.com`, ...changes });
  };
  const createProgram = () => create('/api/programs', { name: unique('Program') });

  const forImported = async (fact: Imported) => {
    const partnerId = await createPartner();
    const source = { name: 'csv', title: 'CSV file' };
    const { service, accountId } = processes.app;
    const target = { service, accountId, source, partnersBy: 'address', programId: null } as const;
    const item = { ...fact, id: unique('record'), partnerId, amountMinor: 100, currency: 'usd' };
    const use = async () => {
      const { refused } = await importFacts(target, ReadableStream.from([item]), {
        isDryRun: false,
        reportPath: null,
      });
      return { status: refused === 0 ? 201 : 404 } as Answer;
    };
    return { path: `/api/partners/${partnerId}`, use };
  };

  /** Each creates what is deleted, and the request that uses it. */
  const uses: Record<string, () => Promise<{ path: string; use: Send }>> = {
    'a partner, for a link': async () => {
      const partnerId = await createPartner();
      return { path: `/api/partners/${partnerId}`, use: request('POST', '/api/links', { partnerId, url: URL }) };
    },
    'a partner, for a link of another': async () => {
      const [partnerId, linkId] = [
        await createPartner(),
        await create('/api/links', { partnerId: referrer.partnerId, url: URL }),
      ];
      return { path: `/api/partners/${partnerId}`, use: request('PATCH', `/api/links/${linkId}`, { partnerId }) };
    },
    'a partner, for an adjustment': async () => {
      const partnerId = await createPartner();
      const body = { partnerId, amount: 100, currency: 'usd', reason: 'A bonus' };
      return { path: `/api/partners/${partnerId}`, use: request('POST', '/api/adjustments', body) };
    },
    'a partner, for a parked payment': async () => {
      const [partnerId, invoice] = [await createPartner(), unique('in')];
      await stripe.deliver(invoicePaid({ invoice, customer: unique('cus') }));
      const { body } = await processes.app.call('GET', '/api/parked-payments?limit=100');
      const { id } = body.data.find(({ invoiceId }: { invoiceId: string }) => invoiceId === invoice);
      const use = request('POST', `/api/parked-payments/${id}/attribute`, { partnerId });
      return { path: `/api/partners/${partnerId}`, use };
    },
    'a partner, for a payment with their discount code': async () => {
      const code = unique('CODE').replaceAll('_', '');
      const partnerId = await createPartner({ discountCodes: [code] });
      const paid = checkoutCompleted({});
      const object = { ...paid.data.object, discounts: [{ promotion_code: { code }, coupon: null }] };
      const use = async (process: number) => {
        const answer = await stripe.deliver({ ...paid, data: { object } }, undefined, processes.urlOf(process));
        return answer.body?.outcome === 'unattributed' ? { ...answer, status: 404 } : answer;
      };
      return { path: `/api/partners/${partnerId}`, use };
    },
    'a partner, for a sale to a customer who was imported for them': async () => {
      const [partnerId, externalId] = [await createPartner(), unique('user')];
      const imported = { externalId, partnerId, email: null, name: null, atProcessor: null };
      await importCustomer(processes.app.service, processes.app.accountId, imported);
      const body = { customerExternalId: externalId, amount: 1_000 };
      const use = async (process: number) => {
        const answer = await processes.call(process, 'POST', '/api/sales', { body });
        return answer.body?.sale?.commissionAmount === 0 ? { ...answer, status: 404 } : answer;
      };
      return { path: `/api/partners/${partnerId}`, use };
    },
    'a partner, for an imported commission': () => forImported(COMMISSION),
    'a partner, for an imported payout': () => forImported({ kind: 'payout', paidAt: 0 }),
    'a program, for a partner': async () => {
      const programId = await createProgram();
      const body = { programId, name: 'Pia', email: 'pia@example.com' };
      return { path: `/api/programs/${programId}`, use: request('POST', '/api/partners', body) };
    },
    'a program, for a webhook endpoint': async () => {
      const programId = await createProgram();
      const use = request('POST', '/api/webhook-endpoints', { programId, processor: 'stripe' });
      return { path: `/api/programs/${programId}`, use };
    },
  };

  /** Runs all rounds, some of them concurrently, the use up to 3 ms before or after the deletion. */
  async function everyRound(
    round: (number: number, late: (send: Send, ms: number) => Promise<Answer>) => Promise<void>,
  ) {
    for (let start = 0; start < ROUNDS; start += ROUNDS_AT_ONCE) {
      const some = Array.from({ length: Math.min(ROUNDS_AT_ONCE, ROUNDS - start) }, async (_, index) => {
        const number = start + index;
        const late = async (send: Send, ms: number) => {
          await new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
          return untilTaken(() => send(number + (ms > 0 ? 1 : 0)));
        };
        await round(number, late);
      });
      await Promise.all(some);
    }
  }

  it.each(Object.keys(uses))(`one of them is refused: %s, ${ROUNDS} times`, async (what) => {
    await everyRound(async (number, late) => {
      const { path, use } = await (uses[what] as (typeof uses)[string])();
      const ahead = (number % 7) - 3;
      const [deleted, used] = await Promise.all([late(request('DELETE', path), ahead), late(use, -ahead)]);
      const statuses = [deleted.status, used.status];
      expect([
        [204, 404],
        [409, 200],
        [409, 201],
      ]).toContainEqual(statuses);
    });
  });

  // SQLite has one writer
  it.each(engine === 'sqlite' ? [] : ['partners', 'programs'])(
    'a refused one of %s waits for nobody',
    async (table) => {
      const id = table === 'partners' ? referrer.partnerId : processes.app.programId;
      const deleteMeanwhile = async (tx: Transaction) => {
        // as whoever is storing a payment
        await tx.get(`SELECT 1 AS one FROM ${table} WHERE id = @id FOR KEY SHARE`, { id });
        return processes.app.call('DELETE', `/api/${table}/${id}`);
      };
      const { status } = await processes.app.service.database.write(deleteMeanwhile, { alone: true });
      expect(status).toBe(409);
    },
  );

  it(`a webhook endpoint leaves no secret, even one that is being stored, ${ROUNDS} times`, async () => {
    await everyRound(async (number, late) => {
      const id = await create('/api/webhook-endpoints', { processor: 'stripe', secrets: ['whsec_before'] });
      const path = `/api/webhook-endpoints/${id}`;
      const ahead = (number % 7) - 3;
      const change = request('PATCH', path, { secrets: ['whsec_after'] });
      const [deleted] = await Promise.all([late(request('DELETE', path), ahead), late(change, -ahead)]);
      expect(deleted.status).toBe(204);
      const sql = 'SELECT sealed_secrets AS secrets FROM webhook_endpoints WHERE id = @id';
      expect(await processes.app.service.database.read((tx) => tx.get(sql, { id }))).toEqual({ secrets: null });
    });
  });
});
