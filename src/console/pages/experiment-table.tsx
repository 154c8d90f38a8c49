import type { Frame } from '../../account/pages/frame';
import { Name, None } from '../../presentation/components/text';
import { Sparkline } from '../../presentation/components/sparkline';
import { Column, Table } from '../../presentation/components/table';
import { describeSeries, isCrowded, Series, seriesLooks } from '../../presentation/plots/series';
import { formatCount } from '../../presentation/text/numbers';
import { passedDays, plural } from '../../presentation/text/words';
import { type GoalResults, primaryOf, type ResultsOverview } from '../../results/experiment-results';
import { rateFigure } from '../../sharing/goal-figures';
import { harmsIn, harmWords } from '../../sharing/harms';
import { ToneIcon, StatusBadge } from '../../sharing/page/badges';
import { foremost, verdictText } from '../../sharing/verdict';
import type { ListedExperiment } from '../experiment-list';
import { experimentPagePath } from './console-page';

const COLUMNS: readonly Column[] = [
  { key: 'name', title: 'Experiment' },
  { key: 'status', title: 'Status' },
  { key: 'days', title: 'Running' },
  { key: 'participants', title: 'Participants', isNumeric: true },
  { key: 'verdict', title: 'Primary goal' },
  { key: 'line', title: 'Trend' },
];

interface ExperimentTableProps {
  frame: Frame;
  projectId: number;
  caption: string;
  experiments: readonly ListedExperiment[];
}

/** The experiment table with verdicts. */
export function ExperimentTable({ frame, projectId, caption, experiments }: ExperimentTableProps) {
  const rows = experiments.map(({ id, name, status, overview }) => ({
    key: id,
    cells: [
      <a href={`${frame.base}${experimentPagePath(projectId, id)}`}>
        <Name>{name}</Name>
      </a>,
      <StatusBadge status={status} />,
      overview === null ? (
        <None reason="never ran" />
      ) : (
        <span class="nowrap">{passedDays(overview.results.daysRunning)}</span>
      ),
      overview === null ? <None reason="no participants yet" /> : formatCount(overview.results.participants),
      <Verdict overview={overview} />,
      <Line overview={overview} />,
    ],
  }));
  return (
    <div class="experiment-list">
      <Table caption={caption} hidesCaption columns={COLUMNS} rows={rows} form="cards" />
    </div>
  );
}

/** The verdict, worded as on the results page, with any guardrails on which variations are worse. */
function Verdict({ overview }: { overview: ResultsOverview | null }) {
  const results = overview?.results;
  const goal = results && primaryOf(results);
  if (results === undefined || goal === undefined || !results.hasResults) {
    return <None reason="no results yet" />;
  }
  const { tone, headline } = verdictText(goal, {
    status: results.experiment.status,
    isWholeTime: true,
  });
  return (
    <span class={`listed-verdict tone-${tone}`}>
      <ToneIcon tone={tone} />
      <span>
        {headline}
        <span class="range">
          <Name>{goal.name}</Name>
        </span>
        {harmsIn(results.goals).map((harm) => (
          <span key={harm.guardrail.id} class="listed-harm">
            {harmWords(harm)}
          </span>
        ))}
      </span>
    </span>
  );
}

function Line({ overview }: { overview: ResultsOverview | null }) {
  const goal = overview?.results && primaryOf(overview.results);
  if (goal === undefined || overview?.results.hasResults !== true) {
    return <None reason="no results yet" />;
  }
  const { figure, series, formatValue } = rateFigure(goal, overview.progress);
  const shown = drawn(goal, series);
  const rest = series.length - shown.length;
  const left = rest === 0 ? '' : ` ${plural(rest, 'other variation')} not shown.`;
  const title = `${figure}. ${describeSeries(shown, formatValue)}${left}`;
  return <Sparkline title={title} series={shown} looks={seriesLooks(series)} />;
}

/**
 * The series to draw. If there are too many lines to tell apart, draws only the original and the variation that the
 * verdict is about.
 */
function drawn(goal: GoalResults, series: Series[]): Series[] {
  const foremostId = foremost(goal)?.id;
  return isCrowded(series)
    ? series.filter(({ id, isReference }) => isReference || id === foremostId)
    : series;
}
