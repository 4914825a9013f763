import { adapters } from '../../../adapters/index.ts';
import type { Processor } from '../../core/processor.ts';
import { findFixture } from '../fixtures.ts';
import { applyOverrides, type Override, parseOverride } from '../replay/overrides.ts';
import { readPayloads } from '../replay/payload-files.ts';
import { postDelivery } from '../replay/post-delivery.ts';
import type { Stage } from './stage.ts';

/** The server that a story needs. */
type PerformanceStage = Pick<Stage, 'url' | 'apiKey' | 'targets'>;

/** One step of the demo, after it happened. */
export interface Step {
  /** `visit`, `lead`, `sale`, or the processor. */
  actor: string;
  what: string;
  /** The actual outcome or status. */
  came: string;
  /** The outcome or status that the story expects. */
  expected: string;
  ms: number;
}

/** The actions that stories consist of; every call is a real HTTP request. */
export interface Performance {
  steps: readonly Step[];
  /** Somebody follows a partner's link; returns the click's id. */
  visit(what: string, key: string): Promise<string>;
  signUp(what: string, clickId: string, customerExternalId: string): Promise<void>;
  /** The shop's own backend reports a sale. */
  reportSale(what: string, body: Record<string, unknown>, expected: string): Promise<void>;
  /** A processor delivers an example event, with the values of `overrides` (`path=value`). */
  deliver(what: string, delivery: DemoDelivery, expected: string): Promise<void>;
}

export interface DemoDelivery {
  processor: Processor;
  event: string;
  variant?: string;
  overrides?: readonly string[];
  /** Signs with a wrong secret. */
  forged?: boolean;
}

/** The visitors' user agent: without a browser's, the service treats them as bots. */
export const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** @param onStep called with every step after it happened */
export function createPerformance(stage: PerformanceStage, onStep: (step: Step) => void): Performance {
  const steps: Step[] = [];
  const tell = (step: Step) => {
    steps.push(step);
    onStep(step);
  };
  const track = async (actor: string, what: string, body: Record<string, unknown>, expected: string) => {
    const startedAt = performance.now();
    const response = await fetch(`${stage.url}/api/track/${actor}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { error?: { code: string } };
    const came = answer.error === undefined ? String(response.status) : `${response.status} ${answer.error.code}`;
    tell({ actor, what, came, expected, ms: elapsed(startedAt) });
  };
  return {
    steps,
    async visit(what, key) {
      const startedAt = performance.now();
      const response = await fetch(`${stage.url}/${key}`, { redirect: 'manual', headers: { 'user-agent': BROWSER } });
      const clickId = URL.parse(response.headers.get('location') ?? '')?.searchParams.get('svc_id');
      tell({ actor: 'visit', what, came: String(response.status), expected: '302', ms: elapsed(startedAt) });
      if (!clickId) throw new Error(`The link ${key} returned no click id`);
      return clickId;
    },
    signUp: (what, clickId, customerExternalId) =>
      track('lead', what, { clickId, eventName: 'Sign up', customerExternalId }, '200'),
    reportSale: (what, body, expected) => track('sale', what, body, expected),
    async deliver(what, delivery, expected) {
      const { outcome, ms } = await send(stage, delivery);
      tell({ actor: delivery.processor, what, came: outcome, expected, ms });
    },
  };
}

async function send(
  stage: PerformanceStage,
  { processor, event, variant, overrides = [], forged = false }: DemoDelivery,
) {
  const { url, secrets } = stage.targets[processor];
  const adapter = await adapters[processor]();
  const file = findFixture(processor, event, variant);
  const [payload] = readPayloads([file], adapter);
  if (payload === undefined) throw new Error(`${file} is missing`);
  const rawBody = applyOverrides(payload.rawBody, overrides.map(asOverride), { n: 1, round: 1, run: '' }, file);
  const signing = forged ? { ...secrets, secrets: ['not the secret'] } : secrets;
  return postDelivery(url, rawBody, adapter.sign(rawBody, signing, Date.now(), payload.eventType));
}

function asOverride(text: string): Override {
  const override = parseOverride(text);
  if (override === null) throw new Error(`${text} is not an override`);
  return override;
}

function elapsed(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}
