import { guides } from '../../../../adapters/guides.ts';

export type ConnectedProcessor = keyof typeof guides;

export const PROCESSOR_GUIDES = guides;

export const CONNECTED_PROCESSORS = Object.keys(guides) as ConnectedProcessor[];

/** What the access token of a processor is, whose API lists the past. */
export type BackfillGuide = Extract<(typeof guides)[ConnectedProcessor]['backfill'], { accessToken: string }>;
