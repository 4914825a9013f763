import type { Processor } from '../src/core/processor.ts';
import type { ProcessorGuide } from './contract/guide.ts';
import { guide as lemonSqueezy } from './lemon-squeezy/guide.ts';
import { guide as paddle } from './paddle/guide.ts';
import { guide as polar } from './polar/guide.ts';
import { guide as revenuecat } from './revenuecat/guide.ts';
import { guide as shopify } from './shopify/guide.ts';
import { guide as stripe } from './stripe/guide.ts';

/** How to connect each processor. Separate from `adapters/index.ts`, because browsers load it. */
export const guides: Record<Processor, ProcessorGuide> = {
  stripe,
  shopify,
  paddle,
  polar,
  revenuecat,
  'lemon-squeezy': lemonSqueezy,
};
