import { Markup } from '../../presentation/components/markup';
import { Layout, renderPage } from '../../presentation/layout';
import { plainName } from '../../presentation/text/names';
import type { ShareModel } from '../share-model';
import { drawResults } from './drawn-results';
import { Masthead } from './masthead';

/** The results page of an experiment. @param only the single goal to show */
export async function renderSharePage(model: ShareModel, only?: number): Promise<string> {
  const { results } = model;
  const goal = results.goals.find(({ id }) => id === only);
  const prefix = goal === undefined ? '' : `${plainName(goal.name)} – `;
  const html = await drawResults(model, only);
  return renderPage(
    <Layout title={`${prefix}${plainName(results.experiment.name)} – experiment results`}>
      <main class="page">
        <Masthead {...model} />
        <Markup html={html} />
      </main>
    </Layout>,
  );
}
