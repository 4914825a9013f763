/** Builds the pages once for the whole run, unless they are up to date. */
export default async function setup(): Promise<void> {
  const { buildPages } = await import('../../.ci/build-pages.ts');
  await buildPages();
}
