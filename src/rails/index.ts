import type { FileRail, FileRailName, Rail, RailName, TransferRail, TransferRailName } from './contract/rail.ts';
import { paypal } from './paypal/index.ts';
import { sepa } from './sepa/index.ts';
import { stripe } from './stripe/index.ts';
import { wise } from './wise/index.ts';

/** Every rail that makes files, one per line. */
export const FILE_RAILS: Readonly<Record<FileRailName, FileRail>> = { paypal, wise, sepa };

/** Every rail that sends payments by an API, one per line. */
export const TRANSFER_RAILS: Readonly<Record<TransferRailName, TransferRail>> = { stripe };

export const RAILS: Readonly<Record<RailName, Rail>> = { ...FILE_RAILS, ...TRANSFER_RAILS };

export const FILE_RAIL_NAMES = Object.keys(FILE_RAILS) as [FileRailName, ...FileRailName[]];
export const TRANSFER_RAIL_NAMES = Object.keys(TRANSFER_RAILS) as [TransferRailName, ...TransferRailName[]];
export const RAIL_NAMES = Object.keys(RAILS) as [RailName, ...RailName[]];
