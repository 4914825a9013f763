/**
 * What a link's clicks count.
 * `visits`: every visit.
 * `visitors`: a visitor who returns to a link within the same hour (UTC) once. Every visit still gets its own click id.
 */
export const CLICK_STATISTICS = ['visits', 'visitors'] as const;

export type ClickStatistics = (typeof CLICK_STATISTICS)[number];
