import { guides } from '../../adapters/guides.ts';
import type { Processor } from '../core/processor.ts';
import { TEXT_MEMBERS } from './endpoint-options.ts';

/** What an endpoint without a secret needs, and the command that sets it. */
export function missingSecret(processor: Processor, endpointId: string): { what: string; command: string } {
  const { name, isSecretOurs } = guides[processor];
  const update = `refbridge endpoints update ${endpointId}`;
  const chosen = TEXT_MEMBERS.find(({ kind, processors }) => kind === 'secret' && processors.includes(processor));
  if (chosen) {
    return {
      what: `a long random ${chosen.name} of your own, the same as at ${name}`,
      command: `${update} --${chosen.name} <text>`,
    };
  }
  const what = isSecretOurs ? `a secret of your own, the same as at ${name}` : `the secret that ${name} shows`;
  return { what, command: `${update} --secret-stdin` };
}
