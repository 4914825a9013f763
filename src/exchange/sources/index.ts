import type { Source } from './contract.ts';
import { dub } from './dub/index.ts';
import { firstpromoter } from './firstpromoter/index.ts';
import { partnerstack } from './partnerstack/index.ts';
import { rewardful } from './rewardful/index.ts';
import { tolt } from './tolt/index.ts';

/** Every service that accounts can be imported from. */
export const SOURCES: readonly Source[] = [rewardful, dub, tolt, firstpromoter, partnerstack];
