import packageJson from '../../package.json' with { type: 'json' };

/** The arguments of `node` in `npm start`. The started process replaces itself with one that has the server's flags. */
export const START_PARAMETERS: readonly string[] = packageJson.scripts.start
  .replace(/^exec /, '')
  .split(' ')
  .slice(1);
