/** The payload, with this address wherever it contains one. */
export function withEmail(payload: { data: { object: unknown } }, email: string) {
  const object = { ...(payload.data.object as object), receipt_email: email, customer_email: email };
  return JSON.parse(JSON.stringify({ ...payload, data: { object } }).replaceAll('mia@example.com', email));
}
