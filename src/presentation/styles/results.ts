/** The results page of an experiment. */
export const RESULTS = `
.masthead { display: grid; gap: 0.6rem; padding-top: 0.5rem; }
.topline { display: flex; justify-content: space-between; gap: 1rem; font-size: 0.875rem; color: var(--muted); margin-bottom: 1rem; }
.meta { display: flex; flex-wrap: wrap; gap: 0.35rem 1rem; align-items: center; color: var(--muted); font-size: 0.9375rem; }
.participants { display: grid; gap: 0.75rem; }
.headline { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); }
.filtered { padding: 0.5rem 1rem; border-inline-start: 3px solid var(--accent); font-weight: 600; }
.facts { display: flex; flex-wrap: wrap; gap: 0.35rem 2.5rem; }
.facts > div { display: flex; gap: 0.5rem; align-items: baseline; }
.facts dt { color: var(--muted); font-size: 0.875rem; }
.facts dd { font-size: 1.125rem; font-weight: 650; }
.decision { margin-top: 0.25rem; font-weight: 650; }
.result-table { display: grid; gap: 0.75rem; grid-template-columns: minmax(0, 1fr); }
.result-table tbody + tbody th, .result-table tbody + tbody tr:first-child td { border-top: 2px solid var(--line); }
.result-table .table tbody tr > * { border-bottom: 0; }
.result-table .table th:first-child { width: 30%; }
.result-table .table tbody tr + tr td { border-top: 1px solid var(--line); }
.result-goal .eyebrow { display: block; }
.result-goal a { display: inline-block; padding-block: 0.2rem; margin-block: -0.2rem; font-weight: 600; }
.result-goal .name { overflow: hidden; display: -webkit-inline-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
.result-variation { width: 24%; }
.result-interval { white-space: nowrap; }
.result-interval .bar { margin: 0.2rem 0 0; }
.result-decision { display: inline-flex; align-items: center; gap: 0.4rem; font-weight: 600; white-space: nowrap; color: var(--tone); }
.result-decision .tone-icon { width: 1.25rem; height: 1.25rem; }
.result-decision, .goal-verdict, .health-check { --tone-ground: var(--surface); }
summary h2 { display: inline; }
.goal-verdict { display: flex; gap: 0.6rem; align-items: start; }
.goal-verdict > div { display: grid; gap: 0.25rem; max-width: 46rem; }
.goal-headline { font-weight: 650; }
.health { display: grid; gap: 1.25rem; grid-template-columns: minmax(0, 1fr); }
.health-list { display: grid; gap: 1rem 2rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr)); }
.health dt { color: var(--muted); font-size: 0.875rem; }
.health-check { display: flex; gap: 0.5rem; align-items: start; font-weight: 600; }
.health-check .tone-icon { width: 1.25rem; height: 1.25rem; margin-top: 0.1rem; }
.presets { display: flex; flex-wrap: wrap; gap: 0.4rem; }
.presets a { display: inline-block; padding: 0.3rem 0.9rem; border: 1px solid var(--control); border-radius: 99px; color: var(--ink); font-size: 0.875rem; text-decoration: none; }
.presets a:hover { border-color: var(--accent); }
.presets a[aria-current] { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600; }
.tone-better { --tone: var(--better); --tone-ground: var(--better-ground); }
.tone-worse { --tone: var(--worse); --tone-ground: var(--worse-ground); }
.tone-waiting { --tone: var(--waiting); --tone-ground: var(--waiting-ground); }
.tone-nothing { --tone: var(--nothing); --tone-ground: var(--nothing-ground); }
.tone-doubt { --tone: var(--doubt); --tone-ground: var(--doubt-ground); }
.tone-icon { flex: none; width: 1.5rem; height: 1.5rem; color: var(--tone); }
.tone-icon path { fill: currentColor; stroke: currentColor; stroke-linejoin: round; }
.tone-icon path + path { fill: none; stroke: var(--tone-ground); stroke-width: 2.2; stroke-linecap: round; }
.goal { display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); scroll-margin-top: 1rem; }
/* Browsers lay out goals when they come into view. Until then, their height is an estimate. */
.goal { content-visibility: auto; contain-intrinsic-size: auto 45rem; }
.goal-head { display: grid; gap: 0.15rem; }
.verdict { display: grid; grid-template-columns: auto minmax(0, 1fr); grid-template-areas: "icon label" "icon text"; gap: 0.25rem 1rem; padding: 1.25rem 1.5rem; border-radius: 10px; background: var(--tone-ground); }
.verdict .tone-icon { grid-area: icon; width: 2.25rem; height: 2.25rem; margin-top: 0.1rem; }
.verdict-label { grid-area: label; color: var(--tone); font-size: 0.8125rem; font-weight: 700; }
.verdict-headline { font-size: 1.375rem; font-weight: 650; line-height: 1.3; letter-spacing: -0.01em; text-wrap: balance; }
.verdict-text { grid-area: text; display: grid; gap: 0.35rem; }
.way { display: grid; gap: 0.3rem; margin-top: 0.5rem; max-width: 28rem; }
.way progress { appearance: none; forced-color-adjust: none; width: 100%; height: 0.5rem; border: 0; border-radius: 99px; overflow: hidden; background: color-mix(in srgb, var(--tone) 20%, transparent); }
.way progress::-webkit-progress-bar { background: color-mix(in srgb, var(--tone) 20%, transparent); }
.way progress::-webkit-progress-value { background: var(--tone); border-radius: 99px; }
.way progress::-moz-progress-bar { background: var(--tone); border-radius: 99px; }
.way-ends { display: flex; justify-content: space-between; gap: 1rem; font-size: 0.8125rem; color: var(--tone); }
.caveats { display: grid; gap: 0.35rem; font-size: 0.875rem; color: var(--muted); }
.caveats li { padding-inline-start: 1rem; border-inline-start: 3px solid var(--doubt); }
.filter { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: start; }
.filter > details[open] { flex-basis: 100%; }
.filter summary { display: inline-flex; align-items: center; gap: 0.75rem; min-height: 2.75rem; padding: 0.4rem 1rem; border: 1px solid var(--control); border-radius: 1.375rem; background: var(--surface); color: var(--ink); list-style: none; }
.filter summary::-webkit-details-marker { display: none; }
.filter summary:hover { border-color: var(--accent); text-decoration: none; }
.filter-change { flex: none; color: var(--accent); font-weight: 600; }
.filter form { display: grid; gap: 1.25rem; margin-top: 0.75rem; }
.verdict-cell { font-weight: 600; white-space: nowrap; }
.notes dl { margin-top: 0.75rem; display: grid; gap: 1.25rem 2.5rem; grid-template-columns: repeat(2, minmax(0, 1fr)); }
.notes dt { font-weight: 600; }
.notes dd { color: var(--muted); font-size: 0.9375rem; }
`;

/** Plots, their legends and their data tables. */
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
