import { Badge } from '../../../parts/badge.tsx';

/** Whether the file is in use; while it is, its payouts are in no other file. */
export function FileState({ canceledAt }: { canceledAt: string | null }) {
  return canceledAt === null ? <Badge tone="accent">In use</Badge> : <Badge>Canceled</Badge>;
}
