import type { Rail, RailName } from './contract/rail.ts';
import { paypal } from './paypal/index.ts';
import { sepa } from './sepa/index.ts';
import { wise } from './wise/index.ts';

/** Every rail, one per line. */
export const RAILS: Readonly<Record<RailName, Rail>> = { paypal, wise, sepa };

export const RAIL_NAMES = Object.keys(RAILS) as [RailName, ...RailName[]];
