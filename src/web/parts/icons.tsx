/** Drawn on a grid of 16, in the color of the text. */
const SHAPES = {
  overview: 'M2 13.5h12M4 11V7m4 4V3m4 8V6',
  sales: 'M3 2.5h10v11l-2.5-1.5L8 13.5 5.5 12 3 13.5zM5.5 6h5M5.5 8.5h3',
  unattributed: 'M6 6a2 2 0 1 1 2.8 1.8c-.5.200-.8.600-.8 1.2v.5M8 12v.2M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13z',
  customers:
    'M5.5 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5a4 4 0 0 1 8 0M10.5 2.8a2.5 2.5 0 0 1 0 4.5M12 9.9a4 4 0 0 1 2.5 3.6',
  partners: 'M8 7a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 14a5 5 0 0 1 10 0',
  links:
    'M6.5 9.5a2.8 2.8 0 0 0 4 0l2.5-2.5a2.8 2.8 0 0 0-4-4l-.8.800M9.5 6.5a2.8 2.8 0 0 0-4 0L3 9a2.8 2.8 0 0 0 4 4l.8-.8',
  payouts: 'M1.5 4.5h13v8h-13zM8 10.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4M4 8.5h.1M12 8.5h.1',
  ledger: 'M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h3',
  file: 'M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3M6 8h4M6 11h4',
  deliveries: 'M8 2v7m0 0L5 6m3 3 3-3M2 10v3.5h12V10',
  connections: 'M5.5 2v3.5M10.5 2v3.5M3.5 5.5h9v2a4.5 4.5 0 0 1-9 0zM8 12v2.5',
  program: 'M2 4h5M11 4h3M2 8h1M7 8h7M2 12h6M12 12h2M9 5.5v-3M5 9.5v-3M10 13.5v-3',
  settings:
    'M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M3.4 12.6l1.4-1.4M11.2 4.8l1.4-1.4',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7 14 14',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M3 8.5 6.5 12 13 4.5',
  view: 'M4 2h8v12l-4-3-4 3z',
  table: 'M2 3h12v10H2zM2 6.5h12M2 9.8h12M6.5 6.5V13',
  filter: 'M2 4h12M4.5 8h7M7 12h2',
  chevron: 'm4 6 4 4 4-4',
  calendar: 'M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.5 2v3',
  pencil: 'M10.5 3 13 5.5 5.5 13H3v-2.5zM9 4.5 11.5 7',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  plus: 'M8 3v10M3 8h10',
  menu: 'M2 4h12M2 8h12M2 12h12',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1',
  moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z',
  device: 'M2 3h12v8H2zM6 14h4M8 11v3',
  arrow: 'M3 8h10M9 4l4 4-4 4',
  back: 'M13 8H3M7 4 3 8l4 4',
  warning: 'M8 2 1.5 13.5h13zM8 6.5v3M8 11.5v.2',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5h.1M6.7 6.5h.1M9.3 6.5h.1M12 6.5h.1M5 9.5h6',
  exit: 'M6 2.5H2.5v11H6M6.5 8h7M10.5 5l3 3-3 3',
  retry: 'M13 3v3.5H9.5M3 13V9.5h3.5M12.8 6.5A5 5 0 0 0 4 4.8M3.2 9.5A5 5 0 0 0 12 11.2',
} as const;

export type IconName = keyof typeof SHAPES;

/** Decoration beside a text, or inside a control that has a label. */
export function Icon({ name, className = 'size-4' }: { name: IconName; className?: string }) {
  return (
    <svg viewBox="0 0 16 16" className={`shrink-0 ${className}`} aria-hidden="true">
      <path
        d={SHAPES[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
