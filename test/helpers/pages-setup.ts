/**
 * Builds the pages once for the whole run, unless they are up to date or `TEST_PAGES=none` says that no test opens one.
 */
export default async function setup(): Promise<void> {
  if (process.env.TEST_PAGES === 'none') return;
  const { buildPages } = await import('../../.ci/build-pages.ts');
  await buildPages();
}
