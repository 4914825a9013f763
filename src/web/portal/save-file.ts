const KEPT_MS = 60_000;

/**
 * Saves in-memory content as a file, as a link to it would. The link is in a frame of its own: for Firefox, the
 * `frame-src` of the page around a frame decides about its downloads, and of this frame, that page is the portal.
 */
export function saveFile(content: Blob, name: string): void {
  const frame = document.createElement('iframe');
  frame.hidden = true;
  document.body.append(frame);
  const owner = frame.contentDocument ?? document;
  const link = owner.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  owner.body.append(link);
  link.click();
  // some browsers read it only after the person has chosen a folder
  setTimeout(() => {
    URL.revokeObjectURL(link.href);
    frame.remove();
  }, KEPT_MS);
}
