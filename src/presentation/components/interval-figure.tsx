import { valueDomain } from '../plots/axes';
import { drawIntervals, MULTIPLE, SINGLE } from '../plots/interval-plot';
import { describeSeries, hasFigures, isCrowded, Series, SeriesLook } from '../plots/series';
import { shortName } from '../text/words';
import { PlotImage } from './image';
import { IntervalTable, IntervalTableProps } from './interval-table';
import { PlotReadings } from './plot-readings';
import { LegendEntry } from './legend-entry';

/** The reference series comes first, if there is one. */
export interface IntervalFigureProps extends IntervalTableProps {
  /** Unique on the page. */
  id: string;
  /** An explanation of the plot in one or two sentences. */
  explanation: string;
  looks: ReadonlyMap<number, SeriesLook>;
  hasZero: boolean;
  formatTick: (value: number) => string;
}

/** Lines over days with intervals: one plot, or one per series if there are many. A table with the figures follows. */
export function IntervalFigure(props: IntervalFigureProps) {
  const { id, title, explanation, series } = props;
  return (
    <figure class="plot-figure" aria-labelledby={`${id}-heading`}>
      <figcaption>
        <h3 id={`${id}-heading`}>{title}</h3>
        {hasFigures(series) && <p class="small muted">{explanation}</p>}
      </figcaption>
      {isCrowded(series) ? <Panels {...props} /> : <Overlaid {...props} />}
      <IntervalTable {...props} />
    </figure>
  );
}

function Overlaid({ id, title, series, looks, ...options }: IntervalFigureProps) {
  const { hasZero, formatTick: format } = options;
  const plot = drawIntervals(series, { size: SINGLE, looks, hasZero, format });
  return plot === null ? (
    <p class="muted">Nothing to draw yet.</p>
  ) : (
    <>
      <Legend series={series} looks={looks} />
      <div class="plot-frame">
        <PlotImage
          id={id}
          title={title}
          description={describeSeries(series, options.formatValue)}
          plot={plot}
        />
        <PlotReadings title={title} series={series} plot={plot} {...options} />
      </div>
    </>
  );
}

function Legend({ series, looks }: Pick<IntervalFigureProps, 'series' | 'looks'>) {
  return (
    <ul class="legend">
      {series.map(({ id, name }) => (
        <li key={id}>
          <LegendEntry name={name} look={looks.get(id)} />
        </li>
      ))}
    </ul>
  );
}

/** One small plot per series, with common axes and the reference. */
function Panels(props: IntervalFigureProps) {
  const { series, looks, hasZero } = props;
  const domain = valueDomain(series, hasZero ? [0] : []);
  const reference = series.filter(({ isReference }) => isReference);
  const compared = series.filter(({ isReference }) => !isReference);
  return (
    <>
      {reference.length > 0 && <Legend series={reference} looks={looks} />}
      <ul class="panels">
        {compared.map((one) => (
          <li key={one.id} class="panel">
            <p class="panel-name">
              <LegendEntry name={one.name} look={looks.get(one.id)} />
            </p>
            <PanelPlot {...props} series={[...reference, one]} of={one} domain={domain} />
          </li>
        ))}
      </ul>
    </>
  );
}

interface PanelPlotProps extends IntervalFigureProps {
  of: Series;
  domain: [number, number];
}

function PanelPlot({ id, title, series, of, ...options }: PanelPlotProps) {
  const plot = drawIntervals(series, { ...options, size: MULTIPLE, format: options.formatTick });
  return plot === null ? (
    <p class="muted small">Nothing to draw yet.</p>
  ) : (
    <div class="plot-frame">
      <PlotImage
        id={`${id}-${of.id}`}
        title={`${title}: ${shortName(of.name)}`}
        description={describeSeries(series, options.formatValue)}
        plot={plot}
      />
      <PlotReadings title={`${title}: ${shortName(of.name)}`} series={series} plot={plot} {...options} />
    </div>
  );
}
