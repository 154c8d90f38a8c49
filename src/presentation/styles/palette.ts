/**
 * The colours of all pages and images by name, on a light background. The contrast is at least 4.5 for text, and at
 * least 3 for shapes.
 */
export const LIGHT = {
  page: '#f3f4f7',
  surface: '#ffffff',
  ink: '#12161d',
  muted: '#505a69',
  line: '#dde1e8',
  control: '#78828f',
  accent: '#1d4fd7',
  'on-accent': '#ffffff',
  focus: '#1d4fd7',
  shadow: '0 1px 2px rgb(18 22 29 / 6%), 0 6px 24px rgb(18 22 29 / 5%)',
  zero: '#6b7584',
  grid: '#e2e5eb',
  'series-0': '#5c6675',
  'series-1': '#0b63c5',
  'series-2': '#c2500a',
  'series-3': '#97378a',
  'series-4': '#00795f',
  'series-5': '#7b6100',
  'series-6': '#c2185b',
  'series-7': '#4b3fbf',
  better: '#0a6638',
  'better-ground': '#e4f5eb',
  worse: '#9a2b12',
  'worse-ground': '#fdebe5',
  waiting: '#1b4a9f',
  'waiting-ground': '#e8effc',
  nothing: '#4a5462',
  'nothing-ground': '#eceef2',
  doubt: '#774600',
  'doubt-ground': '#fff1d0',
} as const;

/** The same colours on a dark background. */
export const DARK: Readonly<Record<keyof typeof LIGHT, string>> = {
  page: '#0d1015',
  surface: '#161a21',
  ink: '#e9edf3',
  muted: '#a5afbd',
  line: '#2c333e',
  control: '#76808f',
  accent: '#91b4ff',
  'on-accent': '#0d1015',
  focus: '#91b4ff',
  shadow: 'none',
  zero: '#8b95a4',
  grid: '#2a303a',
  'series-0': '#a5afbd',
  'series-1': '#62b0ff',
  'series-2': '#ff9c57',
  'series-3': '#e88fda',
  'series-4': '#3ecfa9',
  'series-5': '#e0c341',
  'series-6': '#ff8aa8',
  'series-7': '#b3a8ff',
  better: '#74dca3',
  'better-ground': '#112a1d',
  worse: '#ffa28a',
  'worse-ground': '#331912',
  waiting: '#a3c4ff',
  'waiting-ground': '#15243f',
  nothing: '#b4bdc9',
  'nothing-ground': '#232933',
  doubt: '#ffd07a',
  'doubt-ground': '#32260c',
};

/** Declares the colours as custom properties. */
export const declared = (colours: Readonly<Record<string, string>>): string =>
  Object.entries(colours)
    .map(([name, value]) => `--${name}: ${value};`)
    .join('\n');
