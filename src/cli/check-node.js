// Before npm runs something in TypeScript, which an older Node refuses without saying why.
import { requireNode } from './old-node.js';

requireNode();
