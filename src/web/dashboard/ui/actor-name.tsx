import { useRead } from '../data/use-api.ts';
import { Id } from './values.tsx';

/** Who did something. The audit log keeps the names of operators and API keys, also of those that were removed. */
export function ActorName({ id }: { id: string }) {
  const enabled = id.startsWith('opr_') || id.startsWith('key_');
  const { data } = useRead('listAuditLog', { query: { operatorId: id, limit: 1 } }, { enabled });
  const actor = data?.data[0]?.actor;
  return actor?.id === id ? <bdi title={id}>{actor.name}</bdi> : <Id>{id}</Id>;
}
