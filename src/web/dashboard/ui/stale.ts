/** The look of an earlier answer while another one loads; nothing flickers when that comes at once. */
export const STALE = 'opacity-50 transition-opacity delay-200';
