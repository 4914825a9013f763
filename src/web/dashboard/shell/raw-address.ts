import { useBrowserLocation, useSearch } from 'wouter/use-browser-location';

/** The router decodes this once, before it takes the address apart. */
const encoded = (text: string) => text.replaceAll('%', '%25');

/**
 * For the router: gives pages the address as it is. Decoded as a whole, and its parts once more, `…?email=a%252Bb` would
 * contain a blank, and it would not be known whether `a%2540b` or `a%40b` was meant.
 */
export const RAW_ADDRESS = {
  hook: (): ReturnType<typeof useBrowserLocation> => {
    const [path, navigate] = useBrowserLocation();
    return [encoded(path), navigate];
  },
  searchHook: () => encoded(useSearch()),
};
