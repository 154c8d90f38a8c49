import { Font, wrapped } from '../text/widths';

/** The warning in an image with untrustworthy figures. */
export interface PlotWarning {
  heading: string;
  text: string;
}

const PADDING = 14;
const HEADING_LINE = 20;
const LINE = 18;
const BELOW = 14;
const FONT: Font = { size: 13 };

const linesOf = ({ text }: PlotWarning, width: number): string[] => wrapped(text, width - 2 * PADDING, FONT);

const boxHeight = (lines: readonly string[]): number =>
  2 * PADDING + HEADING_LINE + (lines.length - 0.5) * LINE;

/** The height of a warning in an image, including the gap below it. */
export const warningHeight = (warning: PlotWarning | null, width: number): number =>
  warning === null ? 0 : boxHeight(linesOf(warning, width)) + BELOW;

/** A warning in an image, in the style of the page's warning. */
export function StandaloneWarning({
  x,
  y,
  width,
  ...warning
}: PlotWarning & { x: number; y: number; width: number }) {
  const lines = linesOf(warning, width);
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect
        width={width}
        height={boxHeight(lines)}
        rx="10"
        fill="var(--doubt-ground)"
        stroke="var(--doubt)"
        stroke-width="2"
      />
      <text x={PADDING} y={PADDING + 12} font-size="15" font-weight="600" fill="var(--doubt)">
        {warning.heading}
      </text>
      {lines.map((line, index) => (
        <text
          key={line}
          x={PADDING}
          y={PADDING + 12 + HEADING_LINE + index * LINE}
          font-size={FONT.size}
          fill="var(--ink)"
        >
          {line}
        </text>
      ))}
    </g>
  );
}
