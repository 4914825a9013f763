/**
 * How a link's clicks are counted.
 * `visits`: every visit counts.
 * `visitors`: a visitor who returns to a link within the same hour (UTC) counts once. Every visit still gets its own
 * click id.
 */
export const CLICK_STATISTICS = ['visits', 'visitors'] as const;

export type ClickStatistics = (typeof CLICK_STATISTICS)[number];
