import { renderToString } from 'preact-render-to-string';
import { valueDomain } from '../plots/axes';
import { drawIntervals, DrawnPlot, PlotSize, TickFormat } from '../plots/interval-plot';
import { describeSeries, hasFigures, isCrowded, Series, SeriesLook } from '../plots/series';
import { fitted, Font, wrapped } from '../text/widths';
import { DARK, LIGHT } from '../styles/palette';
import { plainName } from '../text/words';
import { PlotWarning, StandaloneWarning, warningHeight } from './standalone-warning';
import { Swatch } from './legend-entry';

type Colour = keyof typeof LIGHT;

/** A colour in an attribute. It does not match text, in which quotes are escaped. */
const COLOUR = /(fill|stroke)="(?:var\(--([\w-]+)\)|currentColor)"/g;

const isColour = (name: string): name is Colour => Object.hasOwn(LIGHT, name);

/**
 * The markup of an image with literal colours instead of the style sheet's custom properties, for use without the style
 * sheet, and in programs that do not support custom properties.
 */
const withPlainColours = (markup: string): string =>
  markup.replace(COLOUR, (text: string, attribute: string, name: string = 'muted') =>
    isColour(name) ? `${attribute}="${LIGHT[name]}"` : text,
  );

/** The style sheet that replaces these colours with dark ones, for readers who prefer dark mode. */
function darkStyle(colours: readonly Colour[]): string {
  const rules = colours.flatMap((name) =>
    ['fill', 'stroke'].map((property) => `[${property}="${LIGHT[name]}"]{${property}:${DARK[name]}}`),
  );
  return `@media (prefers-color-scheme:dark){${rules.join('')}}`;
}

export interface StandalonePlot {
  heading: string;
  /** A one-line title. */
  subheading: string;
  /** The warning that figures cannot be trusted; null if there is none. */
  warning: PlotWarning | null;
  /** Explains how to read the plot; empty if there is no plot. */
  explanation: readonly string[];
  /** Additional sentences below the plot. */
  notes: readonly string[];
  /** The reference series comes first, if there is one. */
  series: readonly Series[];
  looks: ReadonlyMap<number, SeriesLook>;
  /** The name of the figure. */
  title: string;
  hasZero: boolean;
  formatTick: TickFormat;
  formatValue: (value: number) => string;
}

/** `large` is for pages and wikis, `small` for phones. */
export const IMAGE_SIZES = ['large', 'small'] as const;
export type ImageSize = (typeof IMAGE_SIZES)[number];

interface Measures {
  width: number;
  edge: number;
  /** Text size in plots. */
  text: number;
  plot: PlotSize;
  /** Plot size if there are many plots. */
  panel: PlotSize;
  columns: number;
}

const MEASURES: Record<ImageSize, Measures> = {
  large: {
    width: 720,
    edge: 24,
    text: 12,
    plot: { width: 672, height: 320, days: 7, readings: 0 },
    panel: { width: 336, height: 200, days: 4, readings: 0 },
    columns: 2,
  },
  small: {
    width: 320,
    edge: 4,
    text: 13,
    plot: { width: 312, height: 230, days: 3, readings: 0 },
    panel: { width: 312, height: 190, days: 3, readings: 0 },
    columns: 1,
  },
};
const HEAD = 76;
const LEGEND_LINE = 22;
const LEGEND_TEXT = 42;
const NAME_LINE = 22;
const NAME_EDGE = 8;
const NOTE_LINE = 18;
const FOOT = 16;
const HEADING: Font = { size: 18, isBold: true };
const TEXT: Font = { size: 14 };
const NOTE: Font = { size: 12 };
const FONT_FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", sans-serif';
const COLOURS = [
  'surface',
  'ink',
  'muted',
  'zero',
  'grid',
  'series-0',
  'series-1',
  'series-2',
  'series-3',
  'series-4',
  'series-5',
  'series-6',
  'series-7',
  'doubt',
  'doubt-ground',
] as const;
const STYLE = darkStyle(COLOURS);
const NOTHING = 'Nothing to draw yet.';

/** A part of the image, with the position of its top left corner. */
interface Placed {
  x: number;
  y: number;
  /** Shown above the plot; null if there is only one plot. */
  name: string | null;
  plot: DrawnPlot | null;
}

/**
 * A standalone SVG image with heading, legend and plots, in light or dark mode according to the reader's preference.
 */
export function renderStandalonePlot(plot: StandalonePlot, size: ImageSize = 'large'): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${withPlainColours(renderToString(<Image {...plot} measures={MEASURES[size]} />))}`;
}

/** The size of an image in text units. */
export function standaloneSize(plot: StandalonePlot, size: ImageSize): { width: number; height: number } {
  const measures = MEASURES[size];
  return { width: measures.width, height: Math.ceil(layoutOf(plot, measures).total) };
}

/** The parts of the image from top to bottom, with positions. */
function layoutOf({ series, warning, explanation, notes }: StandalonePlot, measures: Measures) {
  const { width, edge, plot, panel, columns } = measures;
  const inner = width - 2 * edge;
  const isDrawn = hasFigures(series);
  const crowded = isCrowded(series);
  const legend = crowded ? series.filter(({ isReference }) => isReference) : series;
  const legendTop = HEAD + warningHeight(warning, inner);
  const top = legendTop + legend.length * LEGEND_LINE;
  const panels = series.length - (crowded ? legend.length : 0);
  const drawn = crowded ? Math.ceil(panels / columns) * (panel.height + NAME_LINE) : plot.height;
  const height = isDrawn ? drawn : 2 * NAME_LINE;
  const lines = [...(isDrawn ? explanation : []), ...notes].flatMap((note) => wrapped(note, inner, NOTE));
  return {
    inner,
    legend,
    legendTop,
    top,
    height,
    lines,
    total: top + height + lines.length * NOTE_LINE + FOOT,
  };
}

function Image({ measures, ...plot }: StandalonePlot & { measures: Measures }) {
  const { looks, warning } = plot;
  const { width, edge } = measures;
  const { inner, legend, legendTop, top, height, lines, total } = layoutOf(plot, measures);
  const placed = hasFigures(plot.series) ? place(plot, measures) : [];
  const heading = fitted(plot.heading, inner, HEADING);
  const subheading = fitted(plot.subheading, inner, TEXT);
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${width} ${total}`}
      width={width}
      height={total}
      font-family={FONT_FAMILY}
      font-size={TEXT.size}
      role="img"
      aria-labelledby="title description"
    >
      <title id="title">{`${heading}: ${subheading}`}</title>
      <desc id="description">{describe(plot)}</desc>
      <style dangerouslySetInnerHTML={{ __html: STYLE }} />
      <rect width="100%" height="100%" fill="var(--surface)" />
      <text x={edge} y="36" font-size={HEADING.size} font-weight="600" fill="var(--ink)">
        {heading}
      </text>
      <text x={edge} y="58" fill="var(--muted)">
        {subheading}
      </text>
      {warning !== null && <StandaloneWarning {...warning} x={edge} y={HEAD} width={inner} />}
      {legend.map(({ id, name }, index) => (
        <LegendLine
          key={id}
          x={edge}
          y={legendTop + index * LEGEND_LINE}
          width={inner}
          name={name}
          look={looks.get(id)}
        />
      ))}
      {placed.map((one, index) => (
        <PlacedPlot key={index} {...one} y={top + one.y} text={measures.text} />
      ))}
      {placed.length === 0 && (
        <text x={edge} y={top + NAME_LINE} fill="var(--muted)">
          {NOTHING}
        </text>
      )}
      {lines.map((line, index) => (
        <text
          key={line}
          x={edge}
          y={top + height + (index + 1) * NOTE_LINE}
          font-size={NOTE.size}
          fill="var(--muted)"
        >
          {line}
        </text>
      ))}
    </svg>
  );
}

/** The accessible description of the image; a warning comes first. */
function describe({ warning, series, formatValue }: StandalonePlot): string {
  const figures = hasFigures(series) ? describeSeries(series, formatValue) : NOTHING;
  return warning === null ? figures : `${warning.heading}. ${warning.text} ${figures}`;
}

interface LegendLineProps {
  x: number;
  y: number;
  width: number;
  name: string;
  look: SeriesLook | undefined;
}

function LegendLine({ x, y, width, name, look }: LegendLineProps) {
  return (
    <g transform={`translate(${x} ${y})`}>
      {look !== undefined && <Swatch look={look} />}
      <text x={LEGEND_TEXT} y="12" fill="var(--ink)">
        {fitted(plainName(name), width - LEGEND_TEXT, TEXT)}
      </text>
    </g>
  );
}

function PlacedPlot({ x, y, name, plot, text }: Placed & { text: number }) {
  return (
    <g transform={`translate(${x} ${y})`}>
      {name !== null && (
        <text x={NAME_EDGE} y="16" font-weight="600" fill="var(--ink)">
          {name}
        </text>
      )}
      <g
        transform={`translate(0 ${name === null ? 0 : NAME_LINE})`}
        fill="var(--muted)"
        font-size={text}
        text-anchor="middle"
        dangerouslySetInnerHTML={{ __html: plot?.markup ?? '' }}
      />
    </g>
  );
}

/** A single plot or, if there are many series, one plot for each series and the reference, arranged in columns. */
function place(image: StandalonePlot, { edge, plot, panel, columns }: Measures): Placed[] {
  const { series, looks, hasZero, formatTick: format } = image;
  if (!isCrowded(series)) {
    const drawn = drawIntervals(series, { size: plot, looks, hasZero, format });
    return [{ x: edge, y: 0, name: null, plot: drawn }];
  }
  const domain = valueDomain(series, hasZero ? [0] : []);
  const reference = series.filter(({ isReference }) => isReference);
  const compared = series.filter(({ isReference }) => !isReference);
  return compared.map((one, index) => ({
    x: edge + (index % columns) * panel.width,
    y: Math.floor(index / columns) * (panel.height + NAME_LINE),
    name: fitted(plainName(one.name), panel.width - 2 * NAME_EDGE, { ...TEXT, isBold: true }),
    plot: drawIntervals([...reference, one], { size: panel, looks, hasZero, format, domain }),
  }));
}
