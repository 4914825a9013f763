import type { Processor } from '../src/core/processor.ts';
import type { EndpointDeclaration } from './contract/settings.ts';
import * as lemonSqueezy from './lemon-squeezy/settings.ts';
import * as paddle from './paddle/settings.ts';
import * as polar from './polar/settings.ts';
import * as revenuecat from './revenuecat/settings.ts';
import * as shopify from './shopify/settings.ts';
import * as stripe from './stripe/settings.ts';

/** Each processor's endpoint settings. Separate from `adapters/index.ts`, so that importing them loads no package. */
export const declarations: Record<Processor, EndpointDeclaration> = {
  stripe,
  shopify,
  paddle,
  polar,
  revenuecat,
  'lemon-squeezy': lemonSqueezy,
};
