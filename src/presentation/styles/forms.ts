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
