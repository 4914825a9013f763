// Starts `index.ts`. JavaScript, because Node compiles the entry file before the compile cache can be enabled, and compiling
// TypeScript takes 12 MB. From the second start on, everything else comes from the cache.
import nodeModule from 'node:module';
import { requireNode } from './old-node.js';

requireNode();
nodeModule.enableCompileCache();
await import('./index.ts');
