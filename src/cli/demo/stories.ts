import type { Processor } from '../../core/processor.ts';
import type { Performance } from './performance.ts';
import { lemonSqueezy } from './stories/lemon-squeezy.ts';
import { paddle } from './stories/paddle.ts';
import { polar } from './stories/polar.ts';
import { revenuecat } from './stories/revenuecat.ts';
import { shopify } from './stories/shopify.ts';
import { stripe } from './stories/stripe.ts';
import type { DemoStory, ExpectedSale } from './story.ts';

/** In the order in which they run. */
const STORIES: Record<Processor, DemoStory> = {
  stripe,
  shopify,
  paddle,
  polar,
  revenuecat,
  'lemon-squeezy': lemonSqueezy,
};

/** Runs all stories; `EXPECTED_SALES` is the expected outcome. */
export async function tellStories(play: Performance): Promise<void> {
  const now = Date.now();
  for (const story of Object.values(STORIES)) await story.tell(play, now);
}

export const EXPECTED_SALES: readonly ExpectedSale[] = Object.values(STORIES).flatMap(({ ends }) => ends);
