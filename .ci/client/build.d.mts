/** Builds the package into a folder, which is emptied first; `dist-client` by default. */
export function buildClient(folder?: string): void;
