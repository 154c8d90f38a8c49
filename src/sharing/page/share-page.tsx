import { Markup } from '../../presentation/components/markup';
import { Layout, renderPage } from '../../presentation/layout';
import { plainName } from '../../presentation/text/words';
import type { ShareModel } from '../share-model';
import { drawResults } from './drawn-results';
import { Masthead } from './masthead';
import type { ShareSite } from './other-pages';

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
