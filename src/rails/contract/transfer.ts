import type { TransferHindrance } from '../../core/payout.ts';

/** What a provider's API is called with. */
export interface TransferAccess {
  secretKey: string;
  /** Null: the provider's usual address. */
  apiUrl: string | null;
  fetch: typeof fetch;
  /** Ends a request; nobody knows then what became of it. */
  signal: AbortSignal;
}

/** The account at the provider that pays. */
export interface Platform {
  /** The provider's id of the account. */
  id: string;
  /** What the provider calls it, for people; null if it says nothing. */
  name: string | null;
}

/** A payment to one account. Never changes once it was ordered. */
export interface Transfer {
  /** The payment is ordered and found by it: at most one payment has it. */
  payoutId: string;
  /** Minor units, more than 0. */
  amount: number;
  /** ISO 4217, lower case. */
  currency: string;
  /** The provider's id of the account that is paid. */
  destination: string;
}

/**
 * What is known about an ordered payment.
 *
 * sent: made, and not taken back; read from the provider after any doubt.
 * refused: definitely not made, and nothing will make it.
 * unknown: it may have been made, or may still be. The same order may be repeated.
 * contradicted: something was made with this id that is not this payment, or it was taken back: a person must look.
 */
export type TransferResult =
  | { outcome: 'sent'; transferId: string }
  | { outcome: 'refused'; reason: string }
  | {
      outcome: 'unknown';
      reason: string;
      retryAfterSeconds?: number | undefined;
      /** Null, or absent: it may pass by itself. */
      hindrance?: TransferHindrance | null;
    }
  | { outcome: 'contradicted'; reason: string; transferId: string | null };

/** `none`: the provider lists no such payment, which does not prove that there is none. */
export type FoundTransfer = Exclude<TransferResult, { outcome: 'refused' }> | { outcome: 'none' };

/** Calls the API of a provider. Reasons are sentences without a final period, and never contain the secret key. */
export interface TransferClient {
  /**
   * The account that a secret key belongs to.
   *
   * @throws ServiceError `VALIDATION_ERROR` at `secretKey` when the provider refuses the key; `UNAVAILABLE`
   */
  platformOf(access: TransferAccess): Promise<Platform>;
  /**
   * Why an account cannot be paid now, as what to do about it; null when it can.
   *
   * @throws ServiceError `UNAVAILABLE`; `INVALID_STATE` when the provider refuses the key
   */
  flawOf(access: TransferAccess, account: string): Promise<string | null>;
  /**
   * An account that payments of this platform can reach, once it is ready; null for any other.
   *
   * @returns `country`: ISO 3166, two letters, if the provider says it
   * @throws ServiceError as `flawOf`
   */
  findAccount(access: TransferAccess, account: string): Promise<{ country?: string | null | undefined } | null>;
  /** Looks for the payment in what the provider has made. Orders nothing. Never throws. */
  find(access: TransferAccess, transfer: Transfer): Promise<FoundTransfer>;
  /**
   * Orders the payment, under a key that makes the provider order it once. Never throws.
   *
   * @param isRepeated true when it may have been ordered before: then no refusal is definite that could be about the
   * repetition alone
   */
  send(access: TransferAccess, transfer: Transfer, isRepeated: boolean): Promise<TransferResult>;
  /**
   * Opens an account for a partner. Repeated within a day, it returns the same account.
   *
   * @param partner `country`: ISO 3166, two letters; null for the provider's default
   * @throws ServiceError `UNAVAILABLE`; `INVALID_STATE` when the provider refuses, with its reason
   */
  openAccount(access: TransferAccess, partner: { id: string; email: string; country: string | null }): Promise<string>;
  /**
   * An address at which the partner gives the provider what it needs, once.
   *
   * @param urls where the provider sends the partner afterwards, and when the address has expired
   * @returns `expires`: epoch milliseconds
   * @throws ServiceError as `openAccount`
   */
  onboardingLink(
    access: TransferAccess,
    account: string,
    urls: { returnUrl: string; refreshUrl: string },
  ): Promise<{ url: string; expires: number }>;
}
