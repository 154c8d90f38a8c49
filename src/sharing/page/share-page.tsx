import type { ComponentChildren } from 'preact';
import { Markup } from '../../presentation/components/text';
import { Layout, renderPage } from '../../presentation/layout';
import { plainName } from '../../presentation/text/words';
import type { ExperimentResults } from '../../results/experiment-results';
import type { FilterForm, ShareModel, ResultsHeader } from '../share-model';
import { drawResults } from './drawn-results';
import { Filter } from './filter';
import { Masthead } from './masthead';

/** The 404 page of shared results. */
export const renderNotFoundPage = (base: string): string =>
  renderMessage(
    base,
    'Results not found',
    'The link may be incomplete or may have been replaced, or the results are no longer shared. Ask the person who sent you the link.',
  );

/** The page for clients that exceed the rate limit. */
export const renderTooManyPage = (base: string): string =>
  renderMessage(
    base,
    'Too many requests',
    'Your network sent too many requests in the last minute. Wait a minute, then reload this page.',
  );

/** The page to show when the rendering queue is full. */
export const renderBusyPage = (base: string): string =>
  renderMessage(
    base,
    'The server is busy',
    'The results cannot be shown right now. Wait a few seconds, then reload this page.',
  );

function renderMessage(base: string, title: string, text: string): string {
  return renderPage(
    <Layout title={title} base={base}>
      <main class="page">
        <header class="masthead">
          <p class="topline">
            <span class="brand">Gosset</span>
            <span>Experiment results</span>
          </p>
          <h1>{title}</h1>
          <p>{text}</p>
        </header>
      </main>
    </Layout>,
  );
}

/** The steps needed to get results, by experiment status. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
  draft: 'The experiment is a draft. Start it to get participants.',
  preview: 'The experiment is in preview, so visits are not counted. Start it to get participants.',
  running: 'The experiment is running. Results appear as soon as the first visitor has seen a variation.',
  pause: 'The experiment is paused. Resume it to get participants.',
  archive: 'The experiment ended without participants.',
};

/** The server's URLs that shared pages contain. */
export interface ShareSite {
  /** Prefix of the server's paths. */
  base: string;
  /** The absolute URL of the preview image that chat tools show. */
  image: string;
}

/** The page for an experiment without participants. */
export function renderNoResultsPage(header: ResultsHeader, site: ShareSite): string {
  return renderPage(
    <HeaderPage {...header} site={site} description="No results yet.">
      <NoResults status={header.results.experiment.status} />
    </HeaderPage>,
  );
}

/** Shown instead of results: the steps needed to get them. */
export function NoResults({ status }: { status: string }) {
  return (
    <section class="card">
      <h2>No results yet</h2>
      <p>{NEXT_STEPS[status] ?? ''}</p>
    </section>
  );
}

/** The page that is shown if the filter is invalid, with the submitted values. */
export function renderWrongFilterPage(header: ResultsHeader, form: FilterForm, site: ShareSite): string {
  return renderPage(
    <HeaderPage
      {...header}
      site={site}
      prefix="Invalid filter: "
      description="The filter in this link is invalid, so no results are shown."
    >
      <Filter filter={null} form={form} />
    </HeaderPage>,
  );
}

type HeaderPageProps = ResultsHeader & {
  site: ShareSite;
  prefix?: string;
  /** The text for link previews. */
  description: string;
  children: ComponentChildren;
};

function HeaderPage({ site, prefix = '', description, children, ...header }: HeaderPageProps) {
  const { base, image } = site;
  return (
    <Layout
      title={`${prefix}${titleOf(header.results)}`}
      base={base}
      preview={{ title: titleOf(header.results), description, image }}
    >
      <main class="page">
        <Masthead {...header} />
        {children}
      </main>
    </Layout>
  );
}

const titleOf = ({ experiment }: ExperimentResults): string =>
  `${plainName(experiment.name)} – experiment results`;

/** The results page of an experiment. @param only the single goal to show */
export async function renderSharePage(
  model: ShareModel,
  { base, image }: ShareSite,
  only?: number,
): Promise<string> {
  const { results } = model;
  const goal = results.goals.find(({ id }) => id === only);
  const prefix = goal === undefined ? '' : `${plainName(goal.name)} – `;
  const { headline, sections, summary } = await drawResults(model, { only });
  const title = `${prefix}${plainName(results.experiment.name)} – experiment results`;
  return renderPage(
    <Layout title={title} base={base} preview={{ title, description: summary, image }}>
      <main class="page">
        <Masthead {...model} />
        <Markup html={headline + sections} />
      </main>
    </Layout>,
  );
}
