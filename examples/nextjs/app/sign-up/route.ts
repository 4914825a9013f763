import { clickIdFromRequest, createClient } from 'refbridge/client';

const refbridge = createClient({ baseUrl: process.env.REFBRIDGE_URL, apiKey: process.env.REFBRIDGE_API_KEY });

/** Reports the lead of each sign-up. */
export async function POST(request: Request) {
  const { userId } = (await request.json()) as { userId: string };
  const { status } = await refbridge.trackLead({
    clickId: clickIdFromRequest(request),
    eventName: 'Sign up',
    customerExternalId: userId,
  });
  return Response.json({ lead: status }, { status: 201 });
}
