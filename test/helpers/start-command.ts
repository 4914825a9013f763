import packageJson from '../../package.json' with { type: 'json' };

/** What follows `node` in `npm start`: flags, the entry, `serve`. The one list of the flags that the server runs with. */
export const START_PARAMETERS: readonly string[] = packageJson.scripts.start.split(' ').slice(1);

/** `--max-semi-space-size=4` and the others, in their order. */
export const NODE_FLAGS = START_PARAMETERS.filter((parameter) => parameter.startsWith('--'));
