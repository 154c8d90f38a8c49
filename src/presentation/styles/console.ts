/** The pages for teams, projects and experiments. */
export const CONSOLE = `
header.topline { flex-wrap: wrap; gap: 0.25rem 1.5rem; }
.sections { display: flex; flex-wrap: wrap; gap: 0 1.25rem; flex: 1 0 auto; }
.sections a { padding-block: 0.5rem; white-space: nowrap; color: var(--muted); font-weight: 600; text-decoration: none; }
.sections a:hover { color: var(--ink); text-decoration: underline; }
.sections a[aria-current] { color: var(--ink); }
.console, .team { display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); }
.crumbs ol { display: flex; flex-wrap: wrap; gap: 0.3rem 0; margin: 0; padding: 0; list-style: none; }
.crumbs li { display: flex; min-width: 0; }
.crumbs li + li::before { content: "/"; padding-inline: 0.6rem; color: var(--muted); }
.crumbs a { padding-block: 0.2rem; }
.crumbs a[aria-current] { color: var(--ink); text-decoration: none; }
.crumbs .name { overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 1; word-break: break-all; max-width: 24rem; }
.stack { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); align-content: start; }
.description { max-width: 44rem; white-space: pre-line; }
.console .card:not(.stack) > h2 + p { margin-top: 0.35rem; }
.who-may { padding-inline-start: 1rem; border-inline-start: 3px solid var(--control); }
.team { gap: 0.75rem; }
.team-head { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0.25rem 1rem; }
.projects { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); }
.projects h3 { font-size: 1.125rem; }
.counts { display: flex; flex-wrap: wrap; gap: 0.4rem; }
.counts .status { min-height: 1.75rem; text-decoration: none; }
.counts .status:hover { text-decoration: underline; }
.running li a, .projects h3 a, :is(.experiment-list, .found-list) th a { display: inline-block; padding-block: 0.2rem; margin-block: -0.2rem; }
.list-filter { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.75rem 1.5rem; }
.choices-list { display: flex; flex-wrap: wrap; gap: 0.4rem; }
.choices-list a { display: inline-block; padding: 0.3rem 0.9rem; border: 1px solid var(--control); border-radius: 99px; color: var(--ink); font-size: 0.875rem; text-decoration: none; }
.choices-list a:hover { border-color: var(--accent); }
.choices-list a[aria-current] { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600; }
.search { display: flex; gap: 0.5rem; flex: 0 1 22rem; }
.search-form .fields { align-items: end; }
.search-form .field { flex: 1 1 9rem; }
.search-form select { width: 100%; }
select { max-width: 100%; min-height: 2.75rem; padding: 0.4rem 0.7rem; border: 1px solid var(--control); border-radius: 8px; background: var(--surface); color: var(--ink); font: inherit; }
input[type="search"] { flex: 1; width: 100%; min-width: 0; min-height: 2.75rem; padding: 0.4rem 0.7rem; border: 1px solid var(--control); border-radius: 8px; background: var(--surface); color: var(--ink); font: inherit; }
input[type="search"]::placeholder { color: var(--muted); opacity: 1; }
.experiment-list .table { font-size: 0.875rem; }
.experiment-list .table th:first-child { width: 26%; }
.found-list .table { font-size: 0.875rem; }
.found-list .table th:first-child { width: 22%; }
.found-list td .name { width: fit-content; max-width: 100%; }
.found-list td ul { min-width: 7rem; }
.found-list td:last-child { white-space: normal; }
.experiment-list .name, .found-list .name, .running .name { overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
.listed-verdict { display: flex; gap: 0.5rem; align-items: start; min-width: 11rem; }
.listed-verdict .tone-icon { width: 1.25rem; height: 1.25rem; margin-top: 0.05em; }
.listed-harm { display: block; font-size: 0.875rem; }
.sparkline { display: block; width: 9rem; height: auto; overflow: hidden; }
.pages { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 1rem; }
.step { display: grid; gap: 0.5rem; grid-template-columns: minmax(0, 1fr); }
.step + .step { padding-top: 1rem; border-top: 1px solid var(--line); }
.action { display: grid; gap: 0.5rem; grid-template-columns: minmax(0, 1fr); justify-items: start; }
.action > .form { width: 100%; }
.as-curl { width: 100%; }
.as-curl[open] > .stack { margin-top: 0.5rem; }
a.button { display: inline-flex; align-items: center; text-decoration: none; }
a.range { display: inline-block; min-height: 1.5rem; line-height: 1.5rem; }
.action-links { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; }
.action-links a { display: inline-block; padding-block: 0.35rem; margin-block: 0; }
.copied-text { display: grid; gap: 0.35rem; grid-template-columns: minmax(0, 1fr); }
.copied-head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.25rem 1rem; }
.copied-head .quiet-button { min-height: 2rem; padding: 0.1rem 0.9rem; font-size: 0.875rem; }
.code { margin: 0; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--page); white-space: pre-wrap; }
.listing { display: grid; gap: 0.35rem; grid-template-columns: minmax(0, 1fr); counter-reset: line; }
.listing h3 { font-size: 0.875rem; }
.listing .code { padding-inline-start: 3.25rem; overflow-wrap: anywhere; tab-size: 2; }
.line::before { counter-increment: line; content: counter(line); position: absolute; width: 2.5rem; margin-inline-start: -3.25rem; color: var(--muted); text-align: end; }
.line > * { unicode-bidi: isolate; }
.code-keyword { color: var(--waiting); font-weight: 600; }
.code-string { color: var(--better); }
.code-number { color: var(--worse); }
.code-comment { color: var(--muted); font-style: italic; }
code { font: 0.875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.settings-list { display: grid; gap: 1rem 2rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); }
.settings-list dt { color: var(--muted); font-size: 0.875rem; }
.settings-list dd { margin: 0; }
.settings-list a, .settings-list .name { word-break: break-word; }
.settings-list dd > a { display: inline-block; padding-block: 0.1rem; }
.settings-list .conditions { margin: 0; padding-inline-start: 1.25rem; list-style: disc; }
.event-list .table { font-size: 0.875rem; }
.event-list .table th:first-child { width: 16%; }
.event-list tbody th { font-weight: 400; white-space: nowrap; }
.event-list thead th:last-child { width: 17%; }
.event-list td:last-child { white-space: normal; }
.event-list .name { word-break: break-word; }
.outcome-accepted { background: var(--better-ground); color: var(--better); }
.outcome-rejected, .outcome-refused { background: var(--worse-ground); color: var(--worse); }
.page-links { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; }
.changes, .changes > details[open] { display: grid; gap: 0.5rem; grid-template-columns: minmax(0, 1fr); }
.changes ul, ul.changes { margin: 0; padding-inline-start: 1.25rem; list-style: disc; }
.changes .name { overflow-wrap: anywhere; }
.changes .code { margin-block: 0.35rem; overflow-wrap: anywhere; }
.changes .code span { display: block; }
.line-added { background: var(--better-ground); color: var(--better); }
.line-removed { background: var(--worse-ground); color: var(--worse); }
.form-help ul { margin: 0; padding-inline-start: 1.25rem; list-style: disc; }
.form-help li + li { margin-top: 0.5rem; }
.plain-list { margin: 0; padding: 0; list-style: none; }
`;
