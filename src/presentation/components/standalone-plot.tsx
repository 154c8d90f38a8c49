import { renderToString } from 'preact-render-to-string';
import { valueDomain } from '../plots/axes';
import { describeSeries } from '../plots/description';
import type { Drawing } from '../plots/drawing';
import { drawIntervals, DrawnPlot, PlotSize } from '../plots/interval-plot';
import { hasFigures, isCrowded, Series, SeriesLook } from '../plots/series';
import { darkStyle, withPlainColours } from '../plots/standalone-colours';
import { plainName } from '../text/names';
import { fitted, Font, wrapped } from '../text/widths';
import { PlotWarning, StandaloneWarning, warningHeight } from './standalone-warning';
import { Swatch } from './swatch';

export interface StandalonePlot {
  heading: string;
  /** What the plot shows of what, in one line. */
  subheading: string;
  /** Why the figures must not be trusted; null when nothing is wrong. */
  warning: PlotWarning | null;
  /** How to read the plot; nowhere when there is none. */
  explanation: readonly string[];
  /** More sentences below the plot. */
  notes: readonly string[];
  /** Begin with the reference where there is one. */
  series: readonly Series[];
  looks: ReadonlyMap<number, SeriesLook>;
  hasZero: boolean;
  formatTick: (value: number) => string;
  formatValue: (value: number) => string;
}

const WIDTH = 720;
const EDGE = 24;
const INNER = WIDTH - 2 * EDGE;
const HEAD = 76;
const LEGEND_LINE = 22;
const LEGEND_TEXT = 42;
const NAME_LINE = 22;
const NAME_EDGE = 8;
const NOTE_LINE = 18;
const FOOT = 16;
const PLOT: PlotSize = { width: INNER, height: 320, days: 7 };
const PANEL: PlotSize = { width: INNER / 2, height: 200, days: 4 };
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
  'doubt',
  'doubt-ground',
] as const;
const STYLE = darkStyle(COLOURS);
const NOTHING = 'Nothing to draw yet.';

/** A part of the image, with the place of its upper left corner. */
interface Placed {
  x: number;
  y: number;
  /** Above the plot; null where there is one plot only. */
  name: string | null;
  plot: DrawnPlot | null;
}

/** The text of an image that needs no page around it: heading, legend and plots, light or dark as its reader prefers. */
export function renderStandalonePlot(plot: StandalonePlot, drawing: Drawing): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${withPlainColours(renderToString(<Image {...plot} drawing={drawing} />))}`;
}

function Image({ drawing, ...plot }: StandalonePlot & { drawing: Drawing }) {
  const { series, looks, warning } = plot;
  const legend = isCrowded(series) ? series.filter(({ isReference }) => isReference) : series;
  const legendTop = HEAD + warningHeight(warning, INNER);
  const top = legendTop + legend.length * LEGEND_LINE;
  const { placed, height } = place(plot, drawing);
  const notes = [...(placed.length === 0 ? [] : plot.explanation), ...plot.notes];
  const lines = notes.flatMap((note) => wrapped(note, INNER, NOTE));
  const total = top + height + lines.length * NOTE_LINE + FOOT;
  const heading = fitted(plot.heading, INNER, HEADING);
  const subheading = fitted(plot.subheading, INNER, TEXT);
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${WIDTH} ${total}`}
      width={WIDTH}
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
      <text x={EDGE} y="36" font-size={HEADING.size} font-weight="600" fill="var(--ink)">
        {heading}
      </text>
      <text x={EDGE} y="58" fill="var(--muted)">
        {subheading}
      </text>
      {warning !== null && <StandaloneWarning {...warning} x={EDGE} y={HEAD} width={INNER} />}
      {legend.map(({ id, name }, index) => (
        <LegendLine key={id} y={legendTop + index * LEGEND_LINE} name={name} look={looks.get(id)} />
      ))}
      {placed.map((one, index) => (
        <PlacedPlot key={index} {...one} y={top + one.y} />
      ))}
      {placed.length === 0 && (
        <text x={EDGE} y={top + NAME_LINE} fill="var(--muted)">
          {NOTHING}
        </text>
      )}
      {lines.map((line, index) => (
        <text
          key={line}
          x={EDGE}
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

/** The image in words; first of all what is wrong with it. */
function describe({ warning, series, formatValue }: StandalonePlot): string {
  const figures = hasFigures(series) ? describeSeries(series, formatValue) : NOTHING;
  return warning === null ? figures : `${warning.heading}. ${warning.text} ${figures}`;
}

function LegendLine({ y, name, look }: { y: number; name: string; look: SeriesLook | undefined }) {
  return (
    <g transform={`translate(${EDGE} ${y})`}>
      {look !== undefined && <Swatch look={look} />}
      <text x={LEGEND_TEXT} y="12" fill="var(--ink)">
        {fitted(plainName(name), INNER - LEGEND_TEXT, TEXT)}
      </text>
    </g>
  );
}

function PlacedPlot({ x, y, name, plot }: Placed) {
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
        font-size="12"
        text-anchor="middle"
        dangerouslySetInnerHTML={{ __html: plot?.markup ?? '' }}
      />
    </g>
  );
}

/** One plot, or where the series are many one for each beside the reference, in two columns. */
function place(plot: StandalonePlot, drawing: Drawing): { placed: Placed[]; height: number } {
  const { series, looks, hasZero, formatTick: format } = plot;
  if (!isCrowded(series)) {
    const drawn = drawIntervals(drawing, series, { size: PLOT, looks, hasZero, format });
    return drawn === null
      ? { placed: [], height: 2 * NAME_LINE }
      : { placed: [{ x: EDGE, y: 0, name: null, plot: drawn }], height: PLOT.height };
  }
  const domain = valueDomain(series, hasZero ? [0] : []);
  const reference = series.filter(({ isReference }) => isReference);
  const compared = series.filter(({ isReference }) => !isReference);
  const placed = compared.map((one, index) => ({
    x: EDGE + (index % 2) * PANEL.width,
    y: Math.floor(index / 2) * (PANEL.height + NAME_LINE),
    name: fitted(plainName(one.name), PANEL.width - 2 * NAME_EDGE, { ...TEXT, isBold: true }),
    plot: drawIntervals(drawing, [...reference, one], { size: PANEL, looks, hasZero, format, domain }),
  }));
  return { placed, height: Math.ceil(compared.length / 2) * (PANEL.height + NAME_LINE) };
}
