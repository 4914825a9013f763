/** `acct_…Qrst`: recognizable, and of no use to find the account. */
export function maskedAccount(account: string): string {
  return `acct_…${account.slice(-4)}`;
}
