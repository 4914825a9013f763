/** `ana@example.com` → `a…@example.com`. */
export function maskedEmail(email: string): string {
  return `${email.slice(0, 1)}…${email.slice(email.lastIndexOf('@'))}`;
}

/** `DE89370400440532013000` → `DE…3000`. */
export function maskedIban(iban: string): string {
  return `${iban.slice(0, 2)}…${iban.slice(-4)}`;
}
