/** Print styles: light mode, without controls, and no page breaks within sections. */
export const PRINT = `
@media print {
  @page { margin: 14mm; }
  :root { color-scheme: light; --page: #ffffff; --shadow: none; }
  body { font-size: 10pt; }
  .page { width: 100%; padding: 0; gap: 1rem; }
  .card { padding: 1rem; }
  .printed-open::details-content { content-visibility: visible; display: block; height: auto; }
  .goal { content-visibility: visible; }
  .printed-open > summary { list-style: none; color: inherit; }
  .filter form, .filter-change, .data, .screen-only, .skip-link, .local-time, .plot-readings, header.topline .sections, header.topline .signed-in, .copied-head button { display: none !important; }
  .card:has(> details:only-child:not(.printed-open, [open])) { display: none; }
  .filter summary { border: 0; padding: 0; min-height: 0; }
  .card, .verdict, .notice, .plot-figure, .panel, tr { break-inside: avoid; }
  h2, h3, caption { break-after: avoid; }
  .verdict, .status, .notice, .plot, .swatch, .bar, progress { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .name, .panel-name { display: inline !important; overflow: visible !important; max-width: none !important; -webkit-line-clamp: none !important; }
  .table { font-size: 9pt; }
  .table thead th { white-space: normal; font-size: 8pt; }
  .table th, .table td { padding: 0.4rem 0.35rem; }
  .table .number + td:not(.number), .table .number + th:not(.number) { padding-inline-start: 0.75rem; }
  .range { font-size: 8pt; }
  .bar, .sparkline { width: 6rem; }
  .plots { gap: 1rem; }
  .plots-single .plot { font-size: 14px; }
  .panels { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 0.75rem; }
  .panel .plot { font-size: 15px; }
  a { color: inherit; text-decoration: none; }
}
`;
