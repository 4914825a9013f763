import { Dub } from 'dub';
import type { TestApp } from '../helpers/app.ts';

/** The real package, as somebody would move it to this service. */
export function dubFor(app: Pick<TestApp, 'url'>, token: string): Dub {
  return new Dub({ token, serverURL: `${app.url}/compat/dub` });
}
