import type { Service } from '../app/service.ts';
import { findProcessorsInUse } from './queries/processors-in-use.ts';

/** Loads the packages of the processors that have endpoints, so that their time is not the first delivery's. */
export async function loadAdaptersInUse(service: Service): Promise<void> {
  const processors = await service.database.read(findProcessorsInUse);
  await Promise.all(processors.map((processor) => service.adapterFor(processor)));
}
