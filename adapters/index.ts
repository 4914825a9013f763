import type { Adapter, AdapterRegistry } from './contract/adapter.ts';

/** Every processor, and how its adapter is loaded; with it comes its package, so only what has endpoints is loaded. */
export const adapters: AdapterRegistry = {
  stripe: once(() => import('./stripe/index.ts')),
  shopify: once(() => import('./shopify/index.ts')),
  paddle: once(() => import('./paddle/index.ts')),
  polar: once(() => import('./polar/index.ts')),
  revenuecat: once(() => import('./revenuecat/index.ts')),
};

/** Keeps what was loaded: to import it again costs every delivery as much as to check its signature. */
function once(load: () => Promise<{ default: Adapter }>): () => Promise<Adapter> {
  let adapter: Adapter | undefined;
  return async () => {
    adapter ??= (await load()).default;
    return adapter;
  };
}
