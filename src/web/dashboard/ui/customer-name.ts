interface Named {
  name: string | null;
  email: string | null;
  externalId: string | null;
}

/** What a customer is called in lists. */
export function customerName({ name, email, externalId }: Named): string {
  return name ?? email ?? externalId ?? 'Guest';
}
