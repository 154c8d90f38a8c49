import type { Frame } from '../../account/pages/frame';
import { formatMicros } from '../../common/time/clock';
import { Markup } from '../../presentation/components/markup';
import { Moment } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import { DataHealth } from '../../sharing/page/data-health';
import { Filter } from '../../sharing/page/filter';
import { Title } from '../../sharing/page/masthead';
import { NoResults } from '../../sharing/page/other-pages';
import type { SnippetSeen, Standing } from '../../sharing/share-model';
import type { TeamView } from '../../sharing/team-results';
import type { ExperimentView } from '../experiment-view';
import { DownloadsCard } from '../downloads/downloads-card';
import { ExperimentActions } from './actions';
import { ConsolePage, experimentPagePath, projectPath } from './console-page';
import { DecisionCard } from './decision-card';
import { ExperimentSettings } from './experiment-settings';
import { NextStepsCard } from './next-steps-card';
import { ScheduleCard } from './schedule-card';
import { SharingCard } from './sharing-card';
import { SnippetTag } from './snippet-tag';

export interface ExperimentPageModel extends ExperimentView {
  /** The result of the form that led to this page. */
  notice: string | null;
}

/** The page of an experiment: the answer, next steps, results and settings. */
export function renderExperimentPage(frame: Frame, page: ExperimentPageModel): string {
  const { project, experiment, results } = page;
  const hasResults = results.outcome === 'results';
  const crumbs = [
    { path: projectPath(project.id), name: project.name },
    { path: experimentPagePath(project.id, experiment.id), name: experiment.name },
  ];
  const isWrong = results.outcome === 'wrong filter';
  return renderPage(
    <ConsolePage
      frame={frame}
      title={experiment.name}
      crumbs={crumbs}
      notice={page.notice}
      {...(isWrong && { prefix: 'Invalid filter: ' })}
    >
      <header class="masthead">
        <Title {...results.standing} />
        {experiment.description !== null && <p class="description">{experiment.description}</p>}
        <ExperimentActions frame={frame} subject={page} steps={page.steps} />
      </header>
      {experiment.paused_reason !== null && (
        <p class="message tone-worse">The server paused the experiment. {experiment.paused_reason}</p>
      )}
      {page.countedBefore !== null && (
        <p class="message">
          Some events since <Moment at={formatMicros(page.countedBefore)} /> are not counted yet.
        </p>
      )}
      {hasResults && <Markup html={results.markup.headline} />}
      <NextStepsCard frame={frame} {...page} />
      <ScheduleCard frame={frame} subject={page} />
      <Results results={results} snippet={page.snippet} />
      <DecisionCard experiment={experiment} />
      {hasResults && <DownloadsCard frame={frame} subject={page} filter={results.filter} />}
      <ExperimentSettings frame={frame} subject={page} />
      <SharingCard frame={frame} subject={page} url={page.shareUrl} />
      <SnippetTag url={project.snippet_url} isFolded />
    </ConsolePage>,
  );
}

interface ResultsProps {
  results: TeamView;
  snippet: SnippetSeen;
}

function Results({ results, snippet }: ResultsProps) {
  switch (results.outcome) {
    case 'no results':
      return <NoData {...results.standing} snippet={snippet} />;
    case 'wrong filter':
      return <Filter filter={null} form={results.form} />;
    case 'results':
      return <Markup html={results.markup.sections} />;
  }
}

function NoData({ results, lastEventAt, snippet }: Standing & { snippet: SnippetSeen }) {
  const { status } = results.experiment;
  return (
    <>
      <NoResults status={status} />
      {status === 'running' && <DataHealth results={results} lastEventAt={lastEventAt} snippet={snippet} />}
    </>
  );
}
