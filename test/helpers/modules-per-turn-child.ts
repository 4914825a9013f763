/**
 * node modules-per-turn-child.ts <file> <export> [member]: after the server's modules, calls what the file exports; prints
 * how many modules each turn of the event loop loads.
 */

import { registerHooks } from 'node:module';
import '../../src/main.ts';

const [file = '', name = '', member] = process.argv.slice(2);
const exported = (await import(file))[name];
const load: () => Promise<unknown> = member === undefined ? exported : exported[member];
const perTurn = [0];
registerHooks({
  load(url, context, nextLoad) {
    perTurn.push((perTurn.pop() ?? 0) + 1);
    return nextLoad(url, context);
  },
});
const next = () => {
  perTurn.push(0);
  waiting = setImmediate(next);
};
let waiting = setImmediate(next);
await load();
clearImmediate(waiting);
process.stdout.write(JSON.stringify(perTurn.filter((count) => count > 0)));
