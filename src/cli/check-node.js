// Before `npm start`, whose flags an older Node refuses without saying why.
import { requireNode } from './old-node.js';

requireNode();
