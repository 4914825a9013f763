/**
 * The source of a thread that runs a module beside its caller, which is TypeScript in the repository and JavaScript after a
 * build. Each thread has its own compile cache, which must be enabled before its first module loads.
 *
 * @param callerUrl the caller's `import.meta.url`
 */
export function threadSource(name: string, callerUrl: string): string {
  const { href } = new URL(`./${name}${callerUrl.endsWith('.ts') ? '.ts' : '.js'}`, callerUrl);
  return `process.getBuiltinModule('node:module').enableCompileCache(); import(${JSON.stringify(href)})`;
}
