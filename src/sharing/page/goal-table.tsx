import type { ComponentChildren } from 'preact';
import { barDomain, IntervalBar } from '../../presentation/components/interval-bar';
import { LegendEntry } from '../../presentation/components/legend-entry';
import { None, Range } from '../../presentation/components/text';
import { Table } from '../../presentation/components/table';
import type { SeriesLook } from '../../presentation/plots/series';
import {
  formatChange,
  formatChangeRange,
  formatCount,
  formatDifference,
  formatDifferenceRange,
  formatPercent,
  formatPercentRange,
  formatPoints,
  formatPointsRange,
  formatValue,
  formatValueRange,
  withCurrency,
} from '../../presentation/text/numbers';
import type { GoalResults } from '../../results/experiment-results';
import type { Interval, VariationStatistics } from '../../statistics/result';
import { intervalsOf } from '../../statistics/shown-intervals';
import { judgedBlock, knownRange, upliftRange } from '../comparison';
import { decisionWord } from '../result-words';

interface GoalTableProps {
  goal: GoalResults;
  looks: ReadonlyMap<number, SeriesLook>;
  /** The intervals of the goal's decisive figure, by variation. */
  intervals: ReadonlyMap<number, Interval>;
}

/** The figures for each variation, with their intervals. */
export function GoalTable({ goal, looks, intervals }: GoalTableProps) {
  const domain = barDomain(
    goal.variations.flatMap((one) => [
      ...(upliftRange(one) ?? []),
      ...(one.uplift === null ? [] : [one.uplift]),
    ]),
  );
  const value = [{ key: 'value', title: 'Value per participant', isNumeric: true }];
  const count = [{ key: 'count', title: 'Conversions per participant', isNumeric: true }];
  const { metric } = goal;
  const columns = [
    { key: 'variation', title: 'Variation' },
    { key: 'converted', title: 'Converted', isNumeric: true },
    { key: 'rate', title: 'Conversion rate', isNumeric: true },
    ...(goal.hasValue ? value : []),
    ...(metric === 'count' ? count : []),
    { key: 'difference', title: 'Difference', isNumeric: true },
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
          range={metric === 'conversion' ? interval : undefined}
          formatValue={formatPercent}
          formatRange={formatPercentRange}
        />,
        ...(goal.hasValue
          ? [
              <ValueFigure
                value={variation.valuePerParticipant}
                range={metric === 'value' ? interval : undefined}
                currency={goal.currency}
              />,
            ]
          : []),
        ...(metric === 'count'
          ? [<ValueFigure value={variation.conversionsPerParticipant} range={interval} />]
          : []),
        <Difference goal={goal} variation={variation} />,
        <Uplift variation={variation} domain={domain} color={look?.color ?? 'currentColor'} />,
        variation.isOriginal ? (
          <span class="muted">Original</span>
        ) : (
          <span class="verdict-cell">{decisionWord(goal, variation)?.word}</span>
        ),
      ],
    };
  });
  return (
    <Table caption="Figures for each variation" hidesCaption columns={columns} rows={rows} form="cards" />
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

function ValueFigure({
  currency = null,
  ...props
}: Pick<FigureProps, 'value' | 'range'> & { currency?: string | null }) {
  return (
    <Figure
      {...props}
      formatValue={(value, range) => withCurrency(formatValue(value, range), currency)}
      formatRange={(range) => withCurrency(formatValueRange(range), currency)}
    />
  );
}

interface FigureProps {
  value: number | null;
  /** Null if unknown, undefined if the figure has no range to show. */
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

const differenceFormats = (currency: string | null) => ({
  formatValue: (value: number, range: readonly number[]) =>
    withCurrency(formatDifference(value, range), currency),
  formatRange: (range: readonly [number, number]) => withCurrency(formatDifferenceRange(range), currency),
});

function Difference({ goal, variation }: { goal: GoalResults; variation: VariationStatistics }) {
  const formats =
    goal.metric === 'conversion'
      ? { formatValue: formatPoints, formatRange: formatPointsRange }
      : differenceFormats(goal.metric === 'value' ? goal.currency : null);
  return (
    <Figure
      value={judgedBlock(variation)?.difference ?? null}
      range={knownRange(intervalsOf(variation).difference)}
      {...formats}
    />
  );
}
