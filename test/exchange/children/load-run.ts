/** node load-run.ts: after the server's modules, loads those of imports; prints how many each turn of the event loop loads. */

import { registerHooks } from 'node:module';
import '../../../src/main.ts';
import { loadRun } from '../../../src/exchange/jobs/load-run.ts';

const perTurn: number[] = [];
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
const { runImport } = await loadRun();
clearImmediate(waiting);
process.stdout.write(JSON.stringify({ loaded: typeof runImport, perTurn: perTurn.filter((count) => count > 0) }));
