import { useRead } from './use-api.ts';

/** The name of a partner among the hundred newest; undefined while it is unknown. */
export function usePartnerName(id: string): string | undefined {
  const { data } = useRead('listPartners', { query: { limit: 100 } });
  return data?.data.find((partner) => partner.id === id)?.name;
}
