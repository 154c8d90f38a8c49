import type { Frame } from '../../account/pages/frame';
import { formatMicros } from '../../common/time/clock';
import { hasSchedule } from '../../experiments/schedule';
import { roleAllows } from '../../platform/access/roles';
import { CopiedText } from '../../presentation/components/copied-text';
import { Markup, Moment } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import { withMoments } from '../../presentation/text/dates';
import { DataHealth } from '../../sharing/page/data-health';
import { Filter } from '../../sharing/page/filter';
import { Title } from '../../sharing/page/masthead';
import { NoResults } from '../../sharing/page/share-page';
import type { SnippetSeen, ResultsHeader } from '../../sharing/share-model';
import type { TeamView } from '../../sharing/team-results';
import { SCHEDULE_FORM } from '../experiment-forms/schedule-form';
import { NEW_LINK_FORM, SHARING_FORM } from '../experiment-forms/sharing-forms';
import type { ExperimentSubject } from '../experiment-subject';
import type { ExperimentView } from '../experiment-view';
import { DownloadsCard } from '../downloads/downloads-card';
import { ExperimentActions, NextStepsCard } from './actions';
import { ConsolePage, experimentPagePath, projectPath } from './console-page';
import { DecisionCard } from './decision-card';
import { ExperimentSettings } from './experiment-settings';
import { FactsList, Setting } from './facts-list';
import { SnippetTag } from './installation-card';

/** The experiment's schedule and the outcome of its last schedule, if any. */
function ScheduleCard({ frame, subject }: { frame: Frame; subject: ExperimentSubject }) {
  const { starts_at: start, ends_at: end, schedule_error: error } = subject.experiment;
  if (!hasSchedule(subject.experiment)) {
    return null;
  }
  return (
    <section class="card stack" aria-labelledby="schedule">
      <h2 id="schedule">Schedule</h2>
      {error !== null && <p class="message tone-worse">{withMoments(error)}</p>}
      {(start !== null || end !== null) && (
        <FactsList>
          {start !== null && (
            <Setting title="Start">
              <Moment at={start} />
            </Setting>
          )}
          {end !== null && (
            <Setting title="End">
              <Moment at={end} />
            </Setting>
          )}
        </FactsList>
      )}
      {subject.experiment.status !== 'archive' &&
        roleAllows(subject.role, SCHEDULE_FORM.permission(subject)) && (
          <p class="action-links screen-only">
            <a href={`${frame.base}${SCHEDULE_FORM.path(subject)}`}>Change the schedule</a>
          </p>
        )}
    </section>
  );
}

interface SharingCardProps {
  frame: Frame;
  subject: ExperimentSubject;
  /** Null if the results are not shared. */
  url: string | null;
}

/** The share link. Users with the permission can also switch it on or off and replace it. */
function SharingCard({ frame, subject, url }: SharingCardProps) {
  const canEdit = roleAllows(subject.role, SHARING_FORM.permission(subject));
  return (
    <section class="card stack" aria-labelledby="sharing">
      <h2 id="sharing">Share results</h2>
      {url === null ? (
        <p class="muted">The results are not shared. Only team members can view them.</p>
      ) : (
        <>
          <p class="muted">Anyone with this link can view the results without signing in.</p>
          <CopiedText id="share-url" label="Link">
            {url}
          </CopiedText>
        </>
      )}
      <ul class="action-links plain-list screen-only">
        {url !== null && (
          <li>
            <a href={url}>Open shared results</a>
          </li>
        )}
        {canEdit && (
          <li>
            <a href={`${frame.base}${SHARING_FORM.path(subject)}`}>
              {url === null ? 'Share the results' : 'Stop sharing'}
            </a>
          </li>
        )}
        {canEdit && url !== null && (
          <li>
            <a href={`${frame.base}${NEW_LINK_FORM.path(subject)}`}>Replace the link</a>
          </li>
        )}
      </ul>
    </section>
  );
}

interface ExperimentPageModel extends ExperimentView {
  /** The result of the form that led to this page. */
  notice: string | null;
}

/** The page of an experiment, with the answer, next steps, results and settings. */
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
        <Title {...results.header} />
        {experiment.description !== null && <p class="description">{experiment.description}</p>}
        <ExperimentActions frame={frame} subject={page} steps={page.steps} />
      </header>
      {experiment.paused_reason !== null && (
        <p class="message tone-worse">The server paused the experiment. {experiment.paused_reason}</p>
      )}
      {page.countedBefore !== null && (
        <p class="message">
          Some events since <Moment at={formatMicros(page.countedBefore)} /> have not been counted yet.
        </p>
      )}
      {hasResults && <Markup html={results.markup.headline} />}
      <NextStepsCard frame={frame} {...page} />
      <ScheduleCard frame={frame} subject={page} />
      <Results results={results} snippet={page.snippet} />
      <DecisionCard experiment={experiment} />
      {hasResults && (
        <DownloadsCard
          frame={frame}
          subject={page}
          filter={results.filter}
          hasWindows={results.everybody.hasWindows}
        />
      )}
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
      return <NoData {...results.header} snippet={snippet} />;
    case 'wrong filter':
      return <Filter filter={null} form={results.form} />;
    case 'results':
      return <Markup html={results.markup.sections} />;
  }
}

function NoData({ results, lastEventAt, snippet }: ResultsHeader & { snippet: SnippetSeen }) {
  const { status } = results.experiment;
  return (
    <>
      <NoResults status={status} />
      {status === 'running' && <DataHealth results={results} lastEventAt={lastEventAt} snippet={snippet} />}
    </>
  );
}
