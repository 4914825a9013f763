import packageJson from '../../package.json' with { type: 'json' };

/** The arguments of `node` in `npm start`: flags, the entry, `serve`. The only list of the server's flags. */
export const START_PARAMETERS: readonly string[] = packageJson.scripts.start
  .replace(/^exec /, '')
  .split(' ')
  .slice(1);

/** `--max-semi-space-size=2` and the others, in order. */
export const NODE_FLAGS = START_PARAMETERS.filter((parameter) => parameter.startsWith('--'));
