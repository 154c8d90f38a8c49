import { Role, roleAllows } from '../../access/roles';
import type { Frame } from '../../account/pages/frame';
import { CopiedText } from '../../presentation/components/copied-text';
import { Markup } from '../../presentation/components/markup';
import { renderPage } from '../../presentation/layout';
import { Filter } from '../../sharing/page/filter';
import { Title } from '../../sharing/page/masthead';
import { NoResults } from '../../sharing/page/other-pages';
import type { Shareable, Standing } from '../../sharing/share-model';
import type { ExperimentView } from '../experiment-view';
import { Call, TokenHint } from './calls';
import { ConsolePage, experimentPagePath, projectPath } from './console-page';
import { ExperimentSettings } from './experiment-settings';
import { SnippetTag } from './snippet-tag';

export interface ExperimentPageModel extends ExperimentView {
  role: Role;
  publicUrl: string;
  /** The markup of the results; null without results. */
  results: string | null;
}

/** The page of an experiment: next steps, results and settings. */
export function renderExperimentPage(frame: Frame, page: ExperimentPageModel): string {
  const { project, experiment, shareable, results } = page;
  const crumbs = [
    { path: projectPath(project.id), name: project.name },
    { path: experimentPagePath(project.id, experiment.id), name: experiment.name },
  ];
  const isWrong = shareable.outcome === 'wrong filter';
  return renderPage(
    <ConsolePage
      frame={frame}
      title={experiment.name}
      crumbs={crumbs}
      {...(isWrong && { prefix: 'Invalid filter: ' })}
    >
      <header class="masthead">
        <Title {...standingOf(shareable)} />
        {experiment.description !== null && <p class="description">{experiment.description}</p>}
      </header>
      <NextSteps frame={frame} {...page} />
      <Results shareable={shareable} markup={results} />
      <ExperimentSettings experiment={experiment} />
      <Sharing url={page.shareUrl} />
      <SnippetTag url={project.snippet_url} />
    </ConsolePage>,
  );
}

const standingOf = (shareable: Shareable): Standing =>
  shareable.outcome === 'results' ? shareable.model : shareable.standing;

function NextSteps({ frame, steps, role, publicUrl }: ExperimentPageModel & { frame: Frame }) {
  return (
    <section class="card stack screen-only" aria-labelledby="next">
      <h2 id="next">Next step</h2>
      {steps.map(({ title, text, permission, call }, index) => (
        <div key={title} class="step">
          <h3>{title}</h3>
          <p class="muted">{text}</p>
          <Call id={`step-${index}`} publicUrl={publicUrl} role={role} permission={permission} call={call} />
        </div>
      ))}
      {steps.some(({ permission }) => roleAllows(role, permission)) && <TokenHint frame={frame} />}
    </section>
  );
}

function Results({ shareable, markup }: { shareable: Shareable; markup: string | null }) {
  switch (shareable.outcome) {
    case 'no results':
      return <NoResults status={shareable.standing.results.experiment.status} />;
    case 'wrong filter':
      return <Filter filter={null} form={shareable.form} />;
    case 'results':
      return <Markup html={markup ?? ''} />;
  }
}

function Sharing({ url }: { url: string }) {
  return (
    <section class="card stack" aria-labelledby="sharing">
      <h2 id="sharing">Share results</h2>
      <p class="muted">Anyone with this link can view the results without signing in.</p>
      <CopiedText id="share-url" label="Link">
        {url}
      </CopiedText>
      <p class="screen-only">
        <a href={url}>Open shared results</a>
      </p>
    </section>
  );
}
