import type { Adapter, AdapterRegistry } from './contract/adapter.ts';

/** Loads adapters on demand: each imports its processor's package, so only processors with endpoints are loaded. */
export const adapters: AdapterRegistry = {
  stripe: once(() => import('./stripe/index.ts')),
  // its package first: it takes longest, and checking it leaves the thread to others before the rest is loaded
  shopify: once(() => import('./shopify/webhooks.ts').then(() => import('./shopify/index.ts'))),
  paddle: once(() => import('./paddle/index.ts')),
  polar: once(() => import('./polar/index.ts')),
  revenuecat: once(() => import('./revenuecat/index.ts')),
  'lemon-squeezy': once(() => import('./lemon-squeezy/index.ts')),
};

/** Caches the adapter. Importing it again would cost every delivery as much as checking its signature. */
function once(load: () => Promise<{ default: Adapter }>): () => Promise<Adapter> {
  let adapter: Adapter | undefined;
  return async () => {
    adapter ??= (await load()).default;
    return adapter;
  };
}
