const KEPT_MS = 60_000;

/** Saves in-memory content as a file, as a link to it would. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // some browsers read it only after the person has chosen a folder
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
