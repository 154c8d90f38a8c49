import { capitalized } from '../../common/text/strings';
import { barDomain, IntervalBar } from '../../presentation/components/interval-bar';
import { LegendEntry } from '../../presentation/components/legend-entry';
import { Name, None, Range } from '../../presentation/components/text';
import { DISTINCT_LOOKS, type SeriesLook } from '../../presentation/plots/series';
import { formatChange, formatChangeRange } from '../../presentation/text/numbers';
import type { GoalResults } from '../../results/experiment-results';
import type { VariationStatistics } from '../../statistics/result';
import { figureName, formatFigure, judgedFigure, strataMark, upliftRange } from '../comparison';
import type { JudgedGoal } from '../headline';
import { decisionWord, roleWords } from '../result-words';
import { ToneIcon } from './badges';

interface ResultTableProps {
  /** The primary goal comes first. */
  goals: readonly JudgedGoal[];
  /** The compared variations by id, in display order. */
  order: readonly number[];
  looks: ReadonlyMap<number, SeriesLook>;
  /** Whether the first goal is the primary goal. */
  hasPrimary: boolean;
}

const COLUMNS = ['Goal', 'Variation', 'Figure', 'Change', 'Interval', 'Decision'] as const;
const NUMERIC: readonly string[] = ['Figure', 'Change'];

/** A table of all goals and variations with the change, its interval and the decision. */
export function ResultTable({ goals, hasPrimary, ...options }: ResultTableProps) {
  return (
    <section class="card result-table" aria-labelledby="results">
      <h2 id="results">Results</h2>
      <table class="table table-cards" role="table">
        <caption class="visually-hidden">Change from the original by goal and variation</caption>
        <thead role="rowgroup">
          <tr role="row">
            {COLUMNS.map((title) => (
              <th
                key={title}
                scope="col"
                role="columnheader"
                class={NUMERIC.includes(title) ? 'number' : undefined}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        {goals.map(({ goal }) => (
          <GoalRows
            key={goal.id}
            goal={goal}
            hasRole={goal.role === 'guardrail' || (hasPrimary && goal.role === 'primary')}
            {...options}
          />
        ))}
      </table>
    </section>
  );
}

type GoalRowsProps = Omit<ResultTableProps, 'goals' | 'hasPrimary'> & {
  goal: GoalResults;
  hasRole: boolean;
};

function GoalRows({ goal, hasRole, order, looks }: GoalRowsProps) {
  const shown = order.flatMap((id) => goal.variations.find((one) => one.id === id) ?? []);
  const domain = barDomain(
    shown.flatMap((one) => [...(upliftRange(one) ?? []), ...(one.uplift === null ? [] : [one.uplift])]),
  );
  return (
    <tbody role="rowgroup">
      {shown.map((variation, index) => (
        <tr key={variation.id} role="row">
          {index === 0 && (
            <th scope="rowgroup" rowspan={shown.length} role="rowheader" class="result-goal">
              <GoalName goal={goal} hasRole={hasRole} />
            </th>
          )}
          <VariationCells
            goal={goal}
            variation={variation}
            look={looks.get(variation.id)}
            domain={domain}
            hasSwatch={order.length <= DISTINCT_LOOKS}
          />
        </tr>
      ))}
    </tbody>
  );
}

function GoalName({ goal, hasRole }: Pick<GoalRowsProps, 'goal' | 'hasRole'>) {
  const original = goal.variations.find(({ isOriginal }) => isOriginal);
  const value = original === undefined ? null : judgedFigure(goal, original);
  return (
    <>
      <a href={`#goal-${goal.id}`}>
        <Name>{goal.name}</Name>
      </a>
      {hasRole && <span class="eyebrow">{roleWords(goal)}</span>}
      <span class="range">
        {capitalized(figureName(goal))}
        {value !== null && `, original ${formatFigure(goal, value)}`}
        {goal.direction === 'decrease' && '. Lower is better'}
      </span>
    </>
  );
}

interface VariationCellsProps {
  goal: GoalResults;
  variation: VariationStatistics;
  look: SeriesLook | undefined;
  domain: readonly [number, number];
  /** Whether a colour swatch identifies the variation. */
  hasSwatch: boolean;
}

function VariationCells({ goal, variation, look, domain, hasSwatch }: VariationCellsProps) {
  const { uplift } = variation;
  const value = judgedFigure(goal, variation);
  const range = upliftRange(variation);
  const decision = decisionWord(goal, variation);
  const mark = strataMark(goal, variation);
  return (
    <>
      <td role="cell" class="result-variation">
        <LegendEntry name={variation.name} look={hasSwatch ? look : undefined} />
      </td>
      <td role="cell" class="number" data-title="Figure">
        {value === null ? <None /> : formatFigure(goal, value)}
      </td>
      <td role="cell" class="number" data-title="Change">
        {uplift === null ? <None /> : <span class="figure">{formatChange(uplift, range ?? [])}</span>}
        {uplift !== null && mark !== null && <span class="range">{mark}</span>}
      </td>
      <td role="cell" class="result-interval" data-title="Interval">
        {uplift === null ? (
          <None />
        ) : (
          <>
            <Range range={range} format={formatChangeRange} />
            <IntervalBar
              value={uplift}
              interval={range}
              domain={domain}
              color={look?.color ?? 'currentColor'}
            />
          </>
        )}
      </td>
      <td role="cell" data-title="Decision">
        {decision === null ? (
          <None reason="not compared" />
        ) : (
          <span class={`result-decision tone-${decision.tone}`}>
            <ToneIcon tone={decision.tone} />
            {decision.word}
          </span>
        )}
      </td>
    </>
  );
}
