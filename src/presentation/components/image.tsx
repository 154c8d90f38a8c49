import type { DrawnPlot } from '../plots/interval-plot';

interface ImageProps {
  id: string;
  title: string;
  description: string;
  plot: DrawnPlot;
}

/** A plot as an image with an accessible name and description. */
export function PlotImage({ id, title, description, plot }: ImageProps) {
  const { size, markup } = plot;
  return (
    <svg
      class="plot"
      viewBox={`0 0 ${size.width} ${size.height}`}
      width={size.width}
      height={size.height}
      role="img"
      aria-labelledby={`${id}-title ${id}-description`}
    >
      <title id={`${id}-title`}>{title}</title>
      <desc id={`${id}-description`}>{description}</desc>
      <g dangerouslySetInnerHTML={{ __html: markup }} />
    </svg>
  );
}
