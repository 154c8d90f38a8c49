/** Plots, their legends and the tables behind them. */
export const PLOTS = `
.plots { display: grid; gap: 2rem; grid-template-columns: repeat(2, minmax(0, 1fr)); }
.plots-many { grid-template-columns: minmax(0, 1fr); }
.plot-figure { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.6rem; align-content: start; min-width: 0; }
.plot, .plot-readings {
  display: block;
  width: 100%;
  height: auto;
  overflow: visible;
  color: var(--muted);
  fill: currentColor;
  font-size: 10.5px;
  font-family: inherit;
  text-anchor: middle;
}
.plot text { white-space: pre; }
.plot-frame { position: relative; }
.plot-frame > .plot-readings { position: absolute; inset: 0; }
.reading text, .reading path { opacity: 0; }
.reading:is(:hover, :focus-visible) :is(text, path) { opacity: 1; }
.reading:focus-visible { outline: 0; }
.reading text { fill: var(--ink); stroke: var(--surface); stroke-width: 5px; stroke-linejoin: round; paint-order: stroke; pointer-events: none; }
.reading path { stroke: var(--ink); pointer-events: none; }
.plot [stroke-opacity="0.1"] { stroke: var(--grid); stroke-opacity: 1; }
.swatch { flex: none; vertical-align: middle; }
.legend { display: flex; flex-wrap: wrap; gap: 0.2rem 1.25rem; font-size: 0.875rem; }
.legend li, .variation { display: inline-flex; align-items: start; gap: 0.55rem; min-width: 0; }
.legend .swatch, .variation .swatch { margin-top: 0.2em; }
.variation .name, .panel-name { overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; }
.legend .name { max-width: 22rem; -webkit-line-clamp: 2; }
.panels { display: grid; gap: 1.25rem 1.5rem; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); }
.panel { display: grid; gap: 0.2rem; align-content: end; min-width: 0; }
.panel :is(.plot, .plot-readings) { font-size: 12px; }
.panel-name { font-size: 0.875rem; font-weight: 600; -webkit-line-clamp: 2; }
.plot-images { display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); }
.plot-image { display: block; width: 100%; max-width: 45rem; height: auto; }
.data { font-size: 0.875rem; }
.data .table { margin-top: 0.5rem; font-size: 0.8125rem; }
.data .table th, .data .table td { padding: 0.3rem 0.5rem; }
.data .table th:first-child { padding-inline-start: 0; }
.data-scroll { position: relative; max-height: 22rem; overflow-y: auto; }
.bar { display: block; width: 9rem; height: auto; margin: 0.35rem 0 0 auto; overflow: visible; }
.bar path:not(.reach) { stroke: var(--grid); }
.bar path + path:not(.reach) { stroke: var(--zero); stroke-width: 1.5; }
.bar .reach { stroke-width: 5; stroke-opacity: 0.35; stroke-linecap: round; }
.share { display: flex; gap: 1rem; align-items: center; justify-content: end; white-space: nowrap; }
.share .bar { flex: 0 1 9rem; min-width: 0; margin: 0; }
`;
