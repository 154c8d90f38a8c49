/** Colours, which all have a contrast of at least 4.5 as text and 3 as shapes, and the look of plain elements. */
export const FOUNDATION = `
:root {
  color-scheme: light dark;
  --page: #f3f4f7;
  --surface: #ffffff;
  --ink: #12161d;
  --muted: #505a69;
  --line: #dde1e8;
  --control: #78828f;
  --accent: #1d4fd7;
  --on-accent: #ffffff;
  --focus: #1d4fd7;
  --shadow: 0 1px 2px rgb(18 22 29 / 6%), 0 6px 24px rgb(18 22 29 / 5%);
  --zero: #6b7584;
  --grid: #e2e5eb;
  --series-0: #5c6675;
  --series-1: #0b63c5;
  --series-2: #c2500a;
  --series-3: #97378a;
  --series-4: #00795f;
  --better: #0a6638;
  --better-ground: #e4f5eb;
  --worse: #9a2b12;
  --worse-ground: #fdebe5;
  --waiting: #1b4a9f;
  --waiting-ground: #e8effc;
  --nothing: #4a5462;
  --nothing-ground: #eceef2;
  --doubt: #774600;
  --doubt-ground: #fff1d0;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #0d1015;
    --surface: #161a21;
    --ink: #e9edf3;
    --muted: #a5afbd;
    --line: #2c333e;
    --control: #76808f;
    --accent: #91b4ff;
    --on-accent: #0d1015;
    --focus: #91b4ff;
    --shadow: none;
    --zero: #8b95a4;
    --grid: #2a303a;
    --series-0: #a5afbd;
    --series-1: #62b0ff;
    --series-2: #ff9c57;
    --series-3: #e88fda;
    --series-4: #3ecfa9;
    --better: #74dca3;
    --better-ground: #112a1d;
    --worse: #ffa28a;
    --worse-ground: #331912;
    --waiting: #a3c4ff;
    --waiting-ground: #15243f;
    --nothing: #b4bdc9;
    --nothing-ground: #232933;
    --doubt: #ffd07a;
    --doubt-ground: #32260c;
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
.muted { color: var(--muted); }
.small { font-size: 0.875rem; line-height: 1.45; }
`;
