/** Imported before a program: writes each package that it loads to a file named after its process. */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';

const file = join(process.cwd(), `packages-of-${process.pid}`);
const seen = new Set<string>();

registerHooks({
  load(url, context, nextLoad) {
    const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
    if (name !== undefined && !seen.has(name)) {
      seen.add(name);
      appendFileSync(file, `${name}\n`);
    }
    return nextLoad(url, context);
  },
});
