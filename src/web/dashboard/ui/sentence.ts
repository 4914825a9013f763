/** A reason that the service gives, with a capital letter unless it starts with a name from code: `metadata.svc_id: …`. */
export function asSentence(reason: string): string {
  return /^[a-z]+(?=[ ,;]|$)/.test(reason) ? reason.charAt(0).toUpperCase() + reason.slice(1) : reason;
}
