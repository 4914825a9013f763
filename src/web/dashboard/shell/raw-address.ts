import { useBrowserLocation, useSearch } from 'wouter/use-browser-location';

/** The inverse of what the router does to the address. */
const encoded = (text: string) => text.replaceAll('%', '%25');

/**
 * Hooks for the router that give pages the address as it is. By itself, the router decodes the whole address except for
 * characters such as `@` and `+`. Nobody can decode the parts of that correctly: an id kept its `%40`, and `return=…%252B`
 * became a blank.
 */
export const RAW_ADDRESS = {
  hook: (): ReturnType<typeof useBrowserLocation> => {
    const [path, navigate] = useBrowserLocation();
    return [encoded(path), navigate];
  },
  searchHook: () => encoded(useSearch()),
};
