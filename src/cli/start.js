// Starts `index.ts`. In JavaScript, because what Node is started with is compiled before a cache can be switched on, and
// the compiler of TypeScript takes 12 MB; everything else comes from the cache the second time.
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./index.ts');
