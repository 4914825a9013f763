import type { z } from 'zod';
import type { TransferClient } from './transfer.ts';

/** Rails that make a file, which a bank or provider pays. */
export type FileRailName = 'paypal' | 'wise' | 'sepa';

/** Rails that send the money themselves, by a provider's API. */
export type TransferRailName = 'stripe';

/** A way to pay partners. The name is also the folder, the name in the API and the value in the database. */
export type RailName = FileRailName | TransferRailName;

/** The details needed to pay a partner. Each rail declares its own. */
export type PayoutDetails = Readonly<Record<string, string | null>>;

/** Details with their rail, masked. */
export type PayoutDetailsView = PayoutDetails & { rail: RailName };

/** What a file needs in addition to its payouts. */
export type FileOptions = Readonly<Record<string, unknown>>;

/** A payment to one partner. */
export interface Payment {
  /** Identifies the payout in files and reports; at most 30 letters and digits. */
  shortId: string;
  /** Minor units, more than 0. */
  amount: number;
  /** ISO 4217, lower case. */
  currency: string;
}

export interface PaymentWithDetails<Details> extends Payment {
  details: Details;
}

export interface FileContext<Options> {
  /** Unique to the file; at most 30 letters and digits. */
  shortId: string;
  createdAt: number;
  options: Options;
}

/** What is wrong with a member of the options, for `VALIDATION_ERROR`. */
export interface OptionFlaw {
  path: string;
  message: string;
}

export interface RailFile {
  contentType: string;
  extension: string;
  /** The file in parts. */
  chunks: Iterable<string>;
}

/**
 * A way to pay partners, as an adapter is a way to receive payments. Everything in it is pure and performs no I/O.
 * `details` describes each member for the API, documentation and pages.
 */
interface AnyRail<Details> {
  name: RailName;
  /** The details that a partner enters. All members are texts; one may be null. */
  details: z.ZodObject;
  /** The same members, with everything that must not be shown replaced by `…`. They stay recognizable. */
  masked(details: Details): PayoutDetails;
  /** Why this rail cannot make the payment, as a sentence without a final period; null when it can. */
  refusalOf(payment: Payment, details: Details): string | null;
}

/** A rail that makes files. */
export interface FileRail<Details = PayoutDetails, Options = FileOptions> extends AnyRail<Details> {
  kind: 'file';
  name: FileRailName;
  /** What the operator enters for each file. */
  options: z.ZodObject;
  /** What is wrong with options at the time when a file is made, beyond `options`; null when nothing is. */
  flawOfOptions?(options: Options, createdAt: number): OptionFlaw | null;
  /** The maximum number of payments in one file. */
  paymentsMax: number;
  /** The file for payments of one currency. None of the payments may be refused. */
  fileFor(payments: readonly PaymentWithDetails<Details>[], context: FileContext<Options>): RailFile;
}

/** A rail that sends payments by the API of a provider, to an account that the partner has there. */
export interface TransferRail<Details = PayoutDetails> extends AnyRail<Details> {
  kind: 'transfer';
  name: TransferRailName;
  /** What connects an account of ours with the provider. */
  secretKey: z.ZodType<string>;
  /** True for a key that moves real money. */
  isLive(secretKey: string): boolean;
  /** The hosts of the provider's API. */
  apiHosts: readonly string[];
  /** The member of the details that names the partner's account at the provider. */
  accountOf(details: Details): string;
  detailsOf(account: string): Details;
  /** What calls the provider's API: loaded when it is needed, because packages are large. */
  client(): Promise<TransferClient>;
}

export type Rail<Details = PayoutDetails> = FileRail<Details> | TransferRail<Details>;
