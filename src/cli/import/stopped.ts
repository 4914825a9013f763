/** What an import that was stopped has stored, and how it continues. `soFar`: such as `The rows so far`. */
export function stoppedSentence(soFar: string, { dryRun, report }: { dryRun?: true; report?: string }): string {
  if (dryRun) return 'Stopped. It was a dry run: nothing was stored.';
  // the report of what was imported stays
  const again = report === undefined ? 'again' : 'again, with a new file for --report,';
  return `Stopped. ${soFar} were imported; run the same command ${again} to continue.`;
}
