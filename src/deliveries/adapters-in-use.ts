import type { Service } from '../app/service.ts';
import { findProcessorsInUse } from './queries/processors-in-use.ts';

/** Loads the packages of processors that have endpoints, so that the first delivery does not have to wait for them. */
export async function loadAdaptersInUse(service: Service): Promise<void> {
  const processors = await service.database.read(findProcessorsInUse);
  await Promise.all(processors.map((processor) => service.adapterFor(processor)));
}
