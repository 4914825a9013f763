import { useRead } from './use-api.ts';

/** The name of a partner: the known one, otherwise the one from the API; undefined until it is loaded. */
export function usePartnerName(id: string, known: string | undefined): string | undefined {
  const { data } = useRead('getPartner', { parameters: { id } }, { enabled: known === undefined });
  return known ?? (data?.id === id ? data.name : undefined);
}
