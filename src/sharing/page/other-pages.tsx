import type { ComponentChildren } from 'preact';
import { Layout, renderPage } from '../../presentation/layout';
import { plainName } from '../../presentation/text/names';
import type { ExperimentResults } from '../../results/experiment-results';
import type { FilterForm, Standing } from '../share-model';
import { Filter } from './filter';
import { Masthead } from './masthead';

/** For addresses that lead to no experiment. */
export function renderNotFoundPage(): string {
  return renderPage(
    <Layout title="Nothing is shared here">
      <main class="page">
        <header class="masthead">
          <p class="topline">
            <span class="brand">Gosset</span>
            <span>Experiment results</span>
          </p>
          <h1>Nothing is shared here</h1>
          <p>
            The link may be incomplete, or it was replaced by a new one, or the experiment was deleted. Ask
            whoever gave it to you for the link that holds now.
          </p>
        </header>
      </main>
    </Layout>,
  );
}

/** What has to happen until there are results, by the status of the experiment. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
  draft: 'The experiment is a draft. It has to be started before anybody can take part.',
  preview:
    'The experiment can be previewed, which is not counted. It has to be started before anybody can take part.',
  running:
    'The experiment is running. The first results are here as soon as the first visitor has seen a variation.',
  pause: 'The experiment is paused. It has to go on before anybody can take part.',
  archive: 'The experiment has ended, and nobody took part in it.',
};

/** For experiments that nobody has taken part in. */
export function renderNoResultsPage(standing: Standing): string {
  return renderPage(
    <StandingPage {...standing}>
      <NoResults status={standing.results.experiment.status} />
    </StandingPage>,
  );
}

/** In place of results: what has to happen until there are any. */
export function NoResults({ status }: { status: string }) {
  return (
    <section class="card">
      <h2>No results yet</h2>
      <p>{NEXT_STEPS[status] ?? ''}</p>
    </section>
  );
}

/** For filters that cannot be used: what was typed stays. */
export function renderWrongFilterPage(standing: Standing, form: FilterForm): string {
  return renderPage(
    <StandingPage {...standing} prefix="Wrong filter: ">
      <Filter filter={null} form={form} />
    </StandingPage>,
  );
}

type StandingPageProps = Standing & { prefix?: string; children: ComponentChildren };

function StandingPage({ prefix = '', children, ...standing }: StandingPageProps) {
  return (
    <Layout title={`${prefix}${titleOf(standing.results)}`}>
      <main class="page">
        <Masthead {...standing} />
        {children}
      </main>
    </Layout>
  );
}

const titleOf = ({ experiment }: ExperimentResults): string =>
  `${plainName(experiment.name)} – experiment results`;
