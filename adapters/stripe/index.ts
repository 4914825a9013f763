import type { Adapter } from '../contract/adapter.ts';
import { interpret } from './interpret.ts';
import { read } from './read.ts';
import { sign } from './sign.ts';
import { verify } from './verify.ts';

const stripe: Adapter = { processor: 'stripe', verify, read, interpret, sign, keptHeaders: [] };

export default stripe;
