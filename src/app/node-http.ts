/**
 * Node's `http`. An import of 'node:http' by an ES module reads all of its exports, one of which loads Node's client for
 * WebSockets with the whole of `fetch`: 4 MB.
 */
export const http = process.getBuiltinModule('node:http');
