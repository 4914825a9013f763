/** `mara@example.com` → `m…@example.com`: enough to recognize a referral, too little to write to a customer. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const [first = ''] = at > 0 ? email : '';
  return `${first}…${at < 0 ? '' : email.slice(at)}`;
}
