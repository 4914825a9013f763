import { guides } from '../../../../adapters/guides.ts';

export type ConnectedProcessor = keyof typeof guides;

export const PROCESSOR_GUIDES = guides;

export const CONNECTED_PROCESSORS = Object.keys(guides) as ConnectedProcessor[];
