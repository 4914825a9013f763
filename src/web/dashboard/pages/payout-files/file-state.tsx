import { Badge } from '../../../parts/badge.tsx';

/** Whether the file is in use: its payouts are in no other one then. */
export function FileState({ canceledAt }: { canceledAt: string | null }) {
  return canceledAt === null ? <Badge tone="accent">In use</Badge> : <Badge>Canceled</Badge>;
}
