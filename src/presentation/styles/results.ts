/** The page of an experiment's results. */
export const RESULTS = `
.masthead { display: grid; gap: 0.6rem; padding-top: 0.5rem; }
.topline { display: flex; justify-content: space-between; gap: 1rem; font-size: 0.875rem; color: var(--muted); margin-bottom: 1rem; }
.meta { display: flex; flex-wrap: wrap; gap: 0.35rem 1rem; align-items: center; color: var(--muted); font-size: 0.9375rem; }
.participants { display: grid; gap: 0.75rem; }
.facts { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); padding: 0; overflow: hidden; }
.facts > div { display: flex; flex-direction: column; gap: 0.1rem; padding: 1rem 1.5rem; }
.facts > div + div { border-inline-start: 1px solid var(--line); }
.facts dt { color: var(--muted); font-size: 0.875rem; }
.facts dd { font-size: 1.625rem; font-weight: 650; letter-spacing: -0.02em; line-height: 1.2; }
.overview { display: grid; }
.overview li { display: grid; grid-template-columns: minmax(0, 14rem) minmax(0, 1fr); gap: 0.25rem 1.5rem; padding-block: 0.8rem; border-top: 1px solid var(--line); }
.overview li:first-child { border-top: 0; padding-top: 0.5rem; }
.overview li:last-child { padding-bottom: 0; }
.overview a { display: inline-block; padding-block: 0.2rem; font-weight: 600; }
.overview .name { overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
.overview-verdict { display: flex; gap: 0.6rem; align-items: start; }
.tone-better { --tone: var(--better); --tone-ground: var(--better-ground); }
.tone-worse { --tone: var(--worse); --tone-ground: var(--worse-ground); }
.tone-waiting { --tone: var(--waiting); --tone-ground: var(--waiting-ground); }
.tone-nothing { --tone: var(--nothing); --tone-ground: var(--nothing-ground); }
.tone-doubt { --tone: var(--doubt); --tone-ground: var(--doubt-ground); }
.tone-icon { flex: none; width: 1.5rem; height: 1.5rem; color: var(--tone); }
.goal { display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); scroll-margin-top: 1rem; }
.goal-head { display: grid; gap: 0.15rem; }
.verdict { display: grid; grid-template-columns: auto minmax(0, 1fr); grid-template-areas: "icon label" "icon text"; gap: 0.25rem 1rem; padding: 1.25rem 1.5rem; border-radius: 10px; background: var(--tone-ground); }
.verdict .tone-icon { grid-area: icon; width: 2.25rem; height: 2.25rem; margin-top: 0.1rem; }
.verdict-label { grid-area: label; color: var(--tone); font-size: 0.8125rem; font-weight: 700; }
.verdict-headline { font-size: 1.375rem; font-weight: 650; line-height: 1.3; letter-spacing: -0.01em; text-wrap: balance; }
.verdict-text { grid-area: text; display: grid; gap: 0.35rem; }
.way { display: grid; gap: 0.3rem; margin-top: 0.5rem; max-width: 28rem; }
.way progress { appearance: none; width: 100%; height: 0.5rem; border: 0; border-radius: 99px; overflow: hidden; background: color-mix(in srgb, var(--tone) 20%, transparent); }
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
.notes { display: grid; gap: 0.75rem; }
.notes dl { display: grid; gap: 1.25rem 2.5rem; grid-template-columns: repeat(2, minmax(0, 1fr)); }
.notes dt { font-weight: 600; }
.notes dd { color: var(--muted); font-size: 0.9375rem; }
`;
