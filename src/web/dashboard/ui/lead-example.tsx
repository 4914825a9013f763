import { Code } from './empty.tsx';

/** The request that reports a lead of the customer with this id of the company's own. */
export function LeadExample({ externalId }: { externalId: string }) {
  const lead = {
    clickId: 'clk_…',
    eventName: 'Sign up',
    customerExternalId: externalId,
    customerEmail: 'mara@example.com',
  };
  const body = JSON.stringify(lead, null, 2).replaceAll('\n', '\n  ').replaceAll("'", String.raw`'\''`);
  return (
    <Code
      text={`curl ${location.origin}/api/track/lead \\\n  -H "Authorization: Bearer $REFBRIDGE_API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '${body}'`}
    />
  );
}
