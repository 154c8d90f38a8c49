/** Elements that any page can contain: cards, tables, forms, notices. */
export const COMPONENTS = `
.page {
  display: grid;
  gap: 1.5rem;
  grid-template-columns: minmax(0, 1fr);
  width: min(100% - 2rem, 68rem);
  margin-inline: auto;
  padding-block: 1.5rem 4rem;
}
.brand { font-weight: 700; letter-spacing: -0.01em; color: var(--ink); }
.eyebrow { font-size: 0.8125rem; font-weight: 600; color: var(--muted); }
.card {
  background: var(--surface);
  border: 1px solid var(--line);
  border-radius: 14px;
  box-shadow: var(--shadow);
  padding: 1.5rem;
}
.status {
  display: inline-flex;
  align-items: center;
  gap: 0.45em;
  padding: 0.1em 0.7em;
  border-radius: 99px;
  background: var(--nothing-ground);
  color: var(--nothing);
  font-size: 0.875rem;
  font-weight: 600;
  white-space: nowrap;
}
.status::before { content: ""; width: 0.5em; height: 0.5em; border-radius: 50%; background: currentColor; }
.status-running { background: var(--better-ground); color: var(--better); }
.status-pause { background: var(--doubt-ground); color: var(--doubt); }
.notice {
  display: grid;
  gap: 0.5rem;
  padding: 1.25rem 1.5rem;
  border: 2px solid var(--doubt);
  border-radius: 14px;
  background: var(--doubt-ground);
}
.notice h2 { color: var(--doubt); }
.notice ol, .notes ul { margin: 0; padding-inline-start: 1.25rem; }
.notice li + li { margin-top: 0.25rem; }
.table { width: 100%; border-collapse: collapse; text-align: start; font-size: 0.9375rem; line-height: 1.35; }
.table caption { text-align: start; font-weight: 600; padding-bottom: 0.5rem; }
.table th, .table td { padding: 0.7rem 0.5rem; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
.table th:first-child { padding-inline-start: 0; }
.table td:last-child { padding-inline-end: 0; }
.table tbody tr:last-child > * { border-bottom: 0; }
.table thead th { color: var(--muted); font-size: 0.8125rem; font-weight: 600; vertical-align: bottom; padding-block: 0.4rem; }
.table tbody th { font-weight: 600; }
.table .number { text-align: end; white-space: nowrap; }
.table thead th { white-space: nowrap; }
.table th:first-child { width: 100%; }
.table-cards th:first-child { width: 34%; }
.table-cards td:last-child, .table-cards thead th:last-child { white-space: nowrap; }
.table .number + td:not(.number), .table .number + th:not(.number) { padding-inline-start: 2rem; }
.figure { font-weight: 600; }
.range { display: block; font-weight: 400; color: var(--muted); font-size: 0.8125rem; }
summary {
  width: fit-content;
  line-height: 1.5;
  min-height: 1.75rem;
  padding: 0.15rem 0.25rem 0.15rem 0;
  color: var(--accent);
  cursor: pointer;
}
summary:hover { text-decoration: underline; text-underline-offset: 0.15em; }
.fields { display: flex; flex-wrap: wrap; gap: 1rem 1.5rem; align-items: start; }
.actions { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; }
.field { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.3rem; max-width: 26rem; }
.field > .error { max-width: 16rem; }
.field label, .field legend, fieldset.field > legend { padding: 0; font-size: 0.875rem; font-weight: 600; }
fieldset.field { border: 0; min-width: 0; }
input[type="date"] {
  min-height: 2.75rem;
  padding: 0.4rem 0.7rem;
  border: 1px solid var(--control);
  border-radius: 8px;
  background: var(--surface);
  color: var(--ink);
  font: inherit;
}
.choices { display: flex; flex-wrap: wrap; gap: 0 1.1rem; }
.choice { display: inline-flex; align-items: center; gap: 0.5rem; min-height: 2.75rem; cursor: pointer; }
.field .choice { font-size: 1rem; font-weight: 400; }
input[type="checkbox"] { flex: none; width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--accent); }
.button {
  min-height: 2.75rem;
  padding: 0.4rem 1.25rem;
  border: 1px solid var(--accent);
  border-radius: 8px;
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
.button:hover { filter: brightness(1.08); }
.link-button { display: inline-flex; align-items: center; min-height: 2.75rem; padding-inline: 0.25rem; }
.error { color: var(--worse); font-size: 0.875rem; font-weight: 600; }
[aria-invalid="true"] { border-color: var(--worse) !important; border-width: 2px !important; }
`;

/** Pages with forms: sign-in and settings. */
export const FORMS = `
.signed-in { display: flex; flex-wrap: wrap; align-items: center; justify-content: end; gap: 0.25rem 1rem; min-width: 0; max-width: 100%; }
.signed-in .who { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
header.topline { align-items: center; margin: 0; }
header.topline .brand { flex: none; }
.quiet-button { min-height: 2.75rem; padding: 0.4rem 1rem; border: 1px solid var(--control); border-radius: 8px; background: transparent; color: var(--ink); font: inherit; font-weight: 600; cursor: pointer; }
.quiet-button:hover { border-color: var(--accent); }
.signed-in .quiet-button { flex: none; white-space: nowrap; min-height: 2.25rem; padding-block: 0.15rem; font-size: 0.875rem; }
.button.danger { border-color: var(--worse); background: var(--worse); color: var(--surface); }
.danger-link { display: inline-block; padding-block: 0.15rem; margin-block: -0.15rem; color: var(--worse); font-weight: 600; }
.tabs { display: flex; flex-wrap: wrap; gap: 0 1.5rem; border-bottom: 1px solid var(--line); }
.tabs a { padding: 0.6rem 0; border-bottom: 3px solid transparent; margin-bottom: -1px; color: var(--muted); font-weight: 600; text-decoration: none; }
.tabs a:hover { color: var(--ink); }
.tabs a[aria-current] { color: var(--ink); border-bottom-color: var(--accent); }
.settings { display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); }
.settings .card > h2 + p { margin-top: 0.35rem; }
.sign-in { display: grid; gap: 1.25rem; width: min(100%, 27rem); margin: 4vh auto 0; }
.form { display: grid; gap: 1.25rem; }
.form .field { max-width: 30rem; }
.form .fields > .field { flex: 1 1 11rem; }
.form .error { max-width: none; }
textarea, input:is([type="text"], [type="email"], [type="password"], [type="datetime-local"]) { width: 100%; min-height: 2.75rem; padding: 0.4rem 0.7rem; border: 1px solid var(--control); border-radius: 8px; background: var(--surface); color: var(--ink); font: inherit; }
input[type="radio"] { flex: none; width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--accent); }
.message { padding: 0.75rem 1.25rem; border-radius: 10px; background: var(--tone-ground); color: var(--tone); font-weight: 600; }
.shown-once { display: grid; gap: 1rem; border: 2px solid var(--better); }
.shown-once .field { max-width: 44rem; }
.copied { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.copied input { flex: 1 1 16rem; width: auto; min-width: 0; font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.875rem; }
textarea { resize: vertical; line-height: 1.5; }
.message a { color: inherit; }
.message li + li { margin-top: 0.5rem; }
dialog { width: min(100% - 2rem, 30rem); color: var(--ink); }
dialog::backdrop { background: rgb(0 0 0 / 50%); }
`;
