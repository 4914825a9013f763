import { randomBytes } from 'node:crypto';

export interface StripeTransfer {
  id: string;
  object: 'transfer';
  amount: number;
  amount_reversed: number;
  created: number;
  currency: string;
  destination: string;
  livemode: boolean;
  metadata: Record<string, string>;
  reversed: boolean;
  transfer_group: string | null;
}

export interface StripeAccount {
  id: string;
  object: 'account';
  email: string | null;
  country: string;
  capabilities: { transfers?: 'active' | 'inactive' | 'pending' };
  details_submitted: boolean;
  requirements: { currently_due: string[]; past_due: string[]; disabled_reason: string | null };
  settings: { dashboard: { display_name: string | null } };
  metadata: Record<string, string>;
  controller: unknown;
}

/** A request as Stripe reads it: the names of the body are as sent, `metadata[a]`. */
export interface StripeRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Record<string, string>;
  headers: Record<string, string | string[] | undefined>;
}

export interface StripeAnswer {
  status: number;
  /** A text is sent as it is. */
  body: unknown;
  headers?: Record<string, string>;
  /** False: nothing was executed, so that the answer is not stored under the request's key. */
  isExecuted?: boolean;
}

export const stripeError = (status: number, message: string, fields: object = {}): StripeAnswer => ({
  status,
  body: { error: { type: 'invalid_request_error', message, ...fields } },
});

const unexecuted = (answer: StripeAnswer): StripeAnswer => ({ ...answer, isExecuted: false });
const ok = (body: unknown): StripeAnswer => ({ status: 200, body });
const nowSeconds = () => Math.floor(Date.now() / 1000);
const createStripeId = (prefix: string) => `${prefix}_1${randomBytes(10).toString('hex')}`;

const newAccount = (fields: Partial<StripeAccount>): StripeAccount => ({
  id: createStripeId('acct'),
  object: 'account',
  email: null,
  country: 'US',
  capabilities: { transfers: 'inactive' },
  details_submitted: false,
  requirements: { currently_due: ['external_account'], past_due: [], disabled_reason: 'requirements.past_due' },
  settings: { dashboard: { display_name: null } },
  metadata: {},
  controller: null,
  ...fields,
});

const readyAccount = (): Pick<StripeAccount, 'capabilities' | 'details_submitted' | 'requirements'> => ({
  capabilities: { transfers: 'active' },
  details_submitted: true,
  requirements: { currently_due: [], past_due: [], disabled_reason: null },
});

/** Stripe refuses amounts that are no multiple of this (https://docs.stripe.com/currencies#special-cases). */
const MULTIPLE_OF: Record<string, number> = { isk: 100, ugx: 100, bhd: 10, jod: 10, kwd: 10, omr: 10, tnd: 10 };
const UNKNOWN_CURRENCIES = ['clf', 'iqd', 'irr', 'kpw', 'lyd', 'uyi', 'uyw'];
const DIGITS_MAX = 8;
const DIGITS_MAX_IDR = 12;

/** The objects of one platform, and what its API does with them. Tests may change them at any time. */
export class StripePlatform {
  readonly account: StripeAccount;
  readonly transfers = new Map<string, StripeTransfer>();
  readonly accounts = new Map<string, StripeAccount>();
  /** By currency, in Stripe's unit. What is not listed does not run out. */
  readonly balances = new Map<string, number>();
  /** How many transfers were really made, by transfer group. */
  readonly made = new Map<string, number>();
  /** The accounts that links were made for, by address. */
  readonly links = new Map<string, string>();
  /** Lists leave out the transfers that were made, as while they lag behind. */
  isListBehind = false;
  /** Why Stripe lets the platform open no accounts, such as a form that it has not sent. */
  accountRefusal: string | null = null;

  constructor(id: string) {
    this.account = newAccount({ ...readyAccount(), id, settings: { dashboard: { display_name: 'Aurora' } } });
  }

  /** By default, one that can be paid. */
  addAccount(fields: Partial<StripeAccount> = {}): StripeAccount {
    const account = newAccount({ ...readyAccount(), ...fields });
    this.accounts.set(account.id, account);
    return account;
  }

  /** What becomes of an account once its partner has answered everything. */
  finishOnboarding(id: string): void {
    const account = this.accounts.get(id);
    if (account === undefined) throw new Error(`There is no account ${id}`);
    Object.assign(account, readyAccount());
  }

  /** Takes a transfer back, as people do in Stripe's dashboard; by default, all of it. */
  reverse(id: string, amount?: number): void {
    const transfer = this.transfers.get(id);
    if (transfer === undefined) throw new Error(`There is no transfer ${id}`);
    const taken = amount ?? transfer.amount - transfer.amount_reversed;
    transfer.amount_reversed += taken;
    transfer.reversed = transfer.amount_reversed === transfer.amount;
    this.#addToBalance(transfer.currency, taken);
  }

  answer(request: StripeRequest): StripeAnswer {
    const { method, path, body, query } = request;
    const [, kind = '', id = ''] = /^\/v1\/(\w+)(?:\/(\w+))?$/.exec(path) ?? [];
    switch (`${method} ${kind}${id === '' ? '' : '/:id'}`) {
      case 'GET account':
        return ok(this.account);
      case 'GET accounts/:id':
        return this.#readAccount(id);
      case 'POST accounts':
        return this.#openAccount(body);
      case 'POST account_links':
        return this.#linkTo(body);
      case 'POST transfers':
        return this.#transfer(body);
      case 'GET transfers':
        return this.#list(query);
      case 'GET transfers/:id': {
        const transfer = this.transfers.get(id);
        const missing = { code: 'resource_missing', param: 'transfer' };
        return transfer === undefined ? stripeError(404, `No such transfer: '${id}'`, missing) : ok(transfer);
      }
    }
    return unexecuted(stripeError(404, `Unrecognized request URL (${method}: ${path}).`));
  }

  #accountOf(id: string) {
    return id === this.account.id ? this.account : this.accounts.get(id);
  }

  #readAccount(id: string): StripeAnswer {
    const account = this.#accountOf(id);
    if (account !== undefined) return ok(account);
    const message = `The provided key does not have access to account '${id}' (or that account does not exist).`;
    return unexecuted(stripeError(403, message, { code: 'account_invalid' }));
  }

  #openAccount(body: Record<string, string>): StripeAnswer {
    const { email = null, country = 'US' } = body;
    if (!/^[A-Z]{2}$/.test(country)) return unexecuted(stripeError(400, `Invalid country: ${country}`));
    if (this.accountRefusal !== null) return stripeError(400, this.accountRefusal);
    if (body['capabilities[transfers][requested]'] !== 'true')
      return stripeError(400, 'You must request a capability.');
    const account = newAccount({ email, country, metadata: within('metadata', body) });
    account.controller = within('controller', body);
    this.accounts.set(account.id, account);
    return ok(account);
  }

  #linkTo({ account = '', refresh_url, return_url, type }: Record<string, string>): StripeAnswer {
    if (!(refresh_url && return_url && type === 'account_onboarding')) {
      return unexecuted(stripeError(400, 'Missing required param.', { code: 'parameter_missing' }));
    }
    if (!this.accounts.has(account)) return stripeError(400, `No such account: '${account}'`);
    const url = `https://connect.stripe.com/setup/e/${account}/${randomBytes(8).toString('hex')}`;
    this.links.set(url, account);
    return ok({ object: 'account_link', created: nowSeconds(), expires_at: nowSeconds() + 300, url });
  }

  #transfer(body: Record<string, string>): StripeAnswer {
    const { currency = '', destination = '', transfer_group = null } = body;
    const amount = /^[1-9]\d*$/.test(body.amount ?? '') ? Number(body.amount) : 0;
    const flaw = amountFlaw(amount, currency);
    if (flaw !== null) return unexecuted(stripeError(400, flaw, { param: 'amount' }));
    const account = this.accounts.get(destination);
    if (account === undefined) {
      const missing = { code: 'resource_missing', param: 'destination' };
      return stripeError(400, `No such destination: '${destination}'`, missing);
    }
    if (account.capabilities.transfers !== 'active') {
      const message = 'Your destination account needs to have the following capability enabled: transfers';
      return stripeError(400, message, { code: 'insufficient_capabilities_for_transfer' });
    }
    if ((this.balances.get(currency) ?? amount) < amount) {
      const message = 'You have insufficient available funds in your Stripe account.';
      return stripeError(400, message, { code: 'balance_insufficient' });
    }
    this.#addToBalance(currency, -amount);
    const id = createStripeId('tr');
    const fields = { amount, amount_reversed: 0, currency, destination, transfer_group, reversed: false };
    const metadata = within('metadata', body);
    this.transfers.set(id, { id, object: 'transfer', created: nowSeconds(), livemode: false, metadata, ...fields });
    this.made.set(String(transfer_group), (this.made.get(String(transfer_group)) ?? 0) + 1);
    return ok(this.transfers.get(id));
  }

  #list(query: URLSearchParams): StripeAnswer {
    const limit = Number(query.get('limit') ?? 10);
    const group = query.get('transfer_group');
    const all = this.isListBehind ? [] : [...this.transfers.values()].toReversed();
    const listed = all.filter(({ transfer_group }) => group === null || transfer_group === group);
    const rest = listed.slice(listed.findIndex(({ id }) => id === query.get('starting_after')) + 1);
    return ok({ object: 'list', url: '/v1/transfers', has_more: rest.length > limit, data: rest.slice(0, limit) });
  }

  #addToBalance(currency: string, amount: number): void {
    const balance = this.balances.get(currency);
    if (balance !== undefined) this.balances.set(currency, balance + amount);
  }
}

function amountFlaw(amount: number, currency: string): string | null {
  if (!/^[a-z]{3}$/.test(currency) || UNKNOWN_CURRENCIES.includes(currency)) return `Invalid currency: ${currency}`;
  if (amount === 0) return 'This value must be greater than or equal to 1.';
  const digitsMax = currency === 'idr' ? DIGITS_MAX_IDR : DIGITS_MAX;
  if (String(amount).length > digitsMax) return 'Amount must be no more than 999,999.99';
  return amount % (MULTIPLE_OF[currency] ?? 1) === 0 ? null : `Invalid ${currency} amount`;
}

/** `{'metadata[a]': 'b', 'metadata[c][d]': 'e'}` → `{a: 'b', 'c.d': 'e'}`. */
function within(name: string, body: Record<string, string>): Record<string, string> {
  const entries = Object.entries(body).filter(([key]) => key.startsWith(`${name}[`));
  return Object.fromEntries(
    entries.map(([key, value]) => [key.slice(name.length + 1, -1).replaceAll('][', '.'), value]),
  );
}
