import { Dub } from 'dub';
import type { TestApp } from '../helpers/app.ts';

/** The real package, configured as somebody who moves to this service would do it. */
export function dubFor(app: Pick<TestApp, 'url'>, token: string): Dub {
  return new Dub({ token, serverURL: `${app.url}/compat/dub` });
}
