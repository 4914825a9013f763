import type { AdapterRegistry } from '../src/adapter/contract.ts';

/** Every processor, and how its adapter is loaded; with it comes its package, so only what has endpoints is loaded. */
export const adapters: AdapterRegistry = {
  stripe: () => import('./stripe/index.ts').then((module) => module.default),
  shopify: () => import('./shopify/index.ts').then((module) => module.default),
  paddle: () => import('./paddle/index.ts').then((module) => module.default),
  polar: () => import('./polar/index.ts').then((module) => module.default),
  revenuecat: () => import('./revenuecat/index.ts').then((module) => module.default),
};
