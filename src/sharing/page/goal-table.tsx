import type { ComponentChildren } from 'preact';
import { barDomain, IntervalBar } from '../../presentation/components/interval-bar';
import { LegendEntry } from '../../presentation/components/legend-entry';
import { None } from '../../presentation/components/none';
import { Range } from '../../presentation/components/range';
import { Table } from '../../presentation/components/table';
import type { SeriesLook } from '../../presentation/plots/series';
import {
  formatChange,
  formatChangeRange,
  formatCount,
  formatPercent,
  formatPercentRange,
  formatValue,
  formatValueRange,
} from '../../presentation/text/numbers';
import type { GoalResults } from '../../results/experiment-results';
import type { Interval, Verdict, VariationStatistics } from '../../statistics/result';
import { judgedBlock } from '../comparison';
import { knownRange } from '../known-range';

interface GoalTableProps {
  goal: GoalResults;
  looks: ReadonlyMap<number, SeriesLook>;
  /** Of the figure that the goal is judged by, by variation. */
  intervals: ReadonlyMap<number, Interval>;
}

const VERDICTS: Record<Verdict, string> = { winner: 'Better', loser: 'Worse', inconclusive: 'Not certain' };

/** The figures of each variation, with their intervals. */
export function GoalTable({ goal, looks, intervals }: GoalTableProps) {
  const domain = barDomain(
    goal.variations.flatMap((one) => [
      ...(upliftRange(one) ?? []),
      ...(one.uplift === null ? [] : [one.uplift]),
    ]),
  );
  const value = [{ key: 'value', title: 'Value per participant', isNumeric: true }];
  const columns = [
    { key: 'variation', title: 'Variation' },
    { key: 'converted', title: 'Converted', isNumeric: true },
    { key: 'rate', title: 'Conversion rate', isNumeric: true },
    ...(goal.hasValue ? value : []),
    { key: 'uplift', title: 'Change', isNumeric: true },
    { key: 'verdict', title: 'Verdict' },
  ];
  const rows = goal.variations.map((variation) => {
    const look = looks.get(variation.id);
    const interval = intervals.get(variation.id) ?? null;
    return {
      key: variation.id,
      cells: [
        <LegendEntry name={variation.name} look={look} />,
        <Converted {...variation} />,
        <Figure
          value={variation.conversionRate}
          range={goal.hasValue ? undefined : interval}
          formatValue={formatPercent}
          formatRange={formatPercentRange}
        />,
        ...(goal.hasValue ? [<ValueFigure value={variation.valuePerParticipant} range={interval} />] : []),
        <Uplift variation={variation} domain={domain} color={look?.color ?? 'currentColor'} />,
        variation.isOriginal ? (
          <span class="muted">Original</span>
        ) : (
          <span class="verdict-cell">{VERDICTS[variation.statistics.verdict]}</span>
        ),
      ],
    };
  });
  return (
    <Table caption="Figures of each variation" hidesCaption columns={columns} rows={rows} form="cards" />
  );
}

function Converted({ conversions, participants }: VariationStatistics) {
  return (
    <span>
      {formatCount(conversions)}
      <span class="range">of {formatCount(participants)}</span>
    </span>
  );
}

function ValueFigure(props: Pick<FigureProps, 'value' | 'range'>) {
  return <Figure {...props} formatValue={formatValue} formatRange={formatValueRange} />;
}

interface FigureProps {
  value: number | null;
  /** Null where it is not known yet, undefined where the figure is shown without one. */
  range?: Interval | null;
  formatValue: (value: number, range: readonly number[]) => string;
  formatRange: (range: readonly [number, number]) => string;
  children?: ComponentChildren;
}

function Figure({ value, range, formatValue, formatRange, children }: FigureProps) {
  return value === null ? (
    <None />
  ) : (
    <span>
      <span class="figure">{formatValue(value, range ?? [])}</span>
      {range !== undefined && (
        <span class="range">
          <Range range={range} format={formatRange} />
        </span>
      )}
      {children}
    </span>
  );
}

interface UpliftProps {
  variation: VariationStatistics;
  domain: readonly [number, number];
  color: string;
}

function Uplift({ variation, domain, color }: UpliftProps) {
  const { uplift } = variation;
  const range = upliftRange(variation);
  return (
    <Figure value={uplift} range={range} formatValue={formatChange} formatRange={formatChangeRange}>
      <IntervalBar value={uplift ?? 0} interval={range} domain={domain} color={color} />
    </Figure>
  );
}

const upliftRange = (variation: VariationStatistics): Interval | null =>
  knownRange(judgedBlock(variation)?.upliftInterval ?? null);
