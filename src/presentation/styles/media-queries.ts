/**
 * Layout for narrow screens: widths at which tables become cards, widths at which two plots no longer fit side by side,
 * and phones. Text in plots keeps its size on the screen.
 */
export const NARROW = `
@media screen and (max-width: 68rem) {
  .table-cards, .table-cards tbody, .table-cards tr, .table-cards tbody th, .table-cards td { display: block; width: auto !important; }
  .table-cards caption { display: block; }
  .table-cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .table-cards tbody tr { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); gap: 0.6rem 1rem; padding-block: 1rem; border-bottom: 1px solid var(--line); }
  .table-cards tbody tr:first-child { padding-top: 0; }
  .table-cards tbody tr:last-child { border-bottom: 0; padding-bottom: 0; }
  .table-cards tbody th { grid-column: 1 / -1; }
  .table-cards tbody th, .table-cards tbody td { border: 0; padding: 0 !important; }
  .table-cards tbody .number { text-align: start; white-space: normal; }
  .table-cards tbody td.wide { grid-column: 1 / -1; }
  .table-cards tbody :is(td, th[data-title])::before { display: block; content: attr(data-title); color: var(--muted); font-size: 0.8125rem; font-weight: 400; }
  .table-cards .bar { margin-inline: 0; max-width: 100%; }
  .result-table .result-variation { grid-column: 1 / -1; }
  .result-table .table tbody tr > * { border: 0 !important; }
  .result-table .table tbody tr { padding-block: 0.9rem; border-bottom: 1px solid var(--line); }
  .result-table .table tbody tr:last-child { border-bottom: 0; }
  .result-table tbody + tbody { display: block; border-top: 2px solid var(--line); }
  .experiment-list td:nth-child(5), .experiment-list td:nth-child(6) { grid-column: span 2; white-space: normal; }
  .experiment-list .sparkline { width: 100%; max-width: 18rem; }
  .listed-verdict { min-width: 0; }
}
@media screen and (max-width: 56rem) {
  .plots { grid-template-columns: minmax(0, 1fr); max-width: 40rem; }
}
@media screen and (max-width: 46rem) {
  .page { gap: 1rem; width: calc(100% - 1.5rem); padding-block: 1rem 3rem; }
  .card, .notice { padding: 1.1rem; border-radius: 12px; }
  .verdict { padding: 1rem; gap: 0.35rem 0.6rem; grid-template-areas: "icon label" "text text"; }
  .verdict .tone-icon { width: 1.5rem; height: 1.5rem; margin: 0; }
  .verdict-label { align-self: center; }
  .verdict-headline { font-size: 1.1875rem; }
  .notes dl { grid-template-columns: minmax(0, 1fr); }
  .share .bar { display: none; }
  .share { justify-content: start; }
  .plots-single :is(.plot, .plot-readings) { font-size: 12px; }
  .table-cards tbody tr { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .search { flex: 1 1 100%; }
  header.topline { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0.25rem 1rem; }
  .sections { order: 1; grid-column: 1 / -1; gap: 0 0.9rem; }
  .signed-in { flex-wrap: nowrap; gap: 0.75rem; }
  .signed-in .quiet-button { padding-inline: 0.6rem; }
  .fields > .field { flex: 1 1 8rem; }
  .fields > fieldset.field { flex-basis: 100%; }
  .fields > .field:has([type="date"]) { flex-basis: 10rem; }
  input[type="date"] { width: 100%; }
}
@media screen and (max-width: 30rem) {
  .plots-single :is(.plot, .plot-readings) { font-size: 17px; }
}
`;

/** Print styles: light mode, no controls, and no page breaks within sections. */
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
  .table thead th, .table thead .number { white-space: normal; overflow-wrap: break-word; font-size: 8pt; }
  .table .variation { min-width: 7rem; }
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
