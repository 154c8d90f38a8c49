import { COMPONENTS, FORMS } from './styles/components';
import { CONSOLE } from './styles/console';
import { NARROW, PRINT } from './styles/media-queries';
import { DARK, declared, LIGHT } from './styles/palette';
import { PLOTS, RESULTS } from './styles/results';

/** Colours, and the style of plain elements. */
const FOUNDATION = `
:root {
  color-scheme: light dark;
  ${declared(LIGHT)}
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    ${declared(DARK)}
  }
}
*, ::before, ::after { box-sizing: border-box; }
html { text-size-adjust: 100%; -webkit-text-size-adjust: 100%; }
body {
  margin: 0;
  background: var(--page);
  color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", sans-serif;
  font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere;
}
h1, h2, h3, h4, p, dl, dd, ul, figure, fieldset { margin: 0; padding: 0; }
h1 { font-size: clamp(1.625rem, 1.2rem + 2vw, 2.375rem); line-height: 1.15; letter-spacing: -0.02em; }
h2 { font-size: 1.375rem; line-height: 1.25; letter-spacing: -0.01em; }
h3 { font-size: 1rem; line-height: 1.4; }
h1, h2, h3, h4 { font-weight: 650; text-wrap: balance; }
ul { list-style: none; }
a { color: var(--accent); text-underline-offset: 0.15em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
.skip-link { position: absolute; inset-inline-start: 1rem; top: -6rem; z-index: 1; padding: 0.6rem 1rem; border-radius: 0 0 8px 8px; background: var(--accent); color: var(--on-accent); font-weight: 600; }
.skip-link:focus { top: 0; }
main:focus { outline: 0; }
.visually-hidden {
  position: absolute;
  width: 1px;
  height: 1px;
  margin: -1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
.nowrap { white-space: nowrap; }
.local-time { white-space: normal; }
.muted { color: var(--muted); }
.small { font-size: 0.875rem; line-height: 1.45; }
`;

/** The single style sheet for all pages, in light and dark mode, on screens of any width and in print. */
export const STYLESHEET = [FOUNDATION, COMPONENTS, PLOTS, RESULTS, FORMS, CONSOLE, NARROW, PRINT]
  .join('\n')
  .replace(/\n\s*/g, '\n')
  .trim();
