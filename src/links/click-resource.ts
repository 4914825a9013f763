import { isoTime } from '../core/time.ts';
import type { CountedClick } from './queries/clicks.ts';
import type { RecordedClick } from './schemas.ts';

/** A click as an event shows it. Nothing in it identifies the visitor. */
export function asClick(click: CountedClick): RecordedClick {
  return {
    id: click.id,
    programId: click.programId,
    partnerId: click.partnerId,
    linkId: click.linkId,
    referrerHost: click.referrerHost,
    device: click.device,
    country: click.country,
    isRepeat: click.isRepeat ?? false,
    createdAt: isoTime(click.createdAt),
  };
}
