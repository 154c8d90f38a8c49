import { Layout, renderPage } from '../../presentation/layout';
import type { Drawing } from '../../presentation/plots/drawing';
import { plainName } from '../../presentation/text/names';
import type { ShareModel } from '../share-model';
import { Masthead } from './masthead';
import { ResultSections } from './result-sections';

/** The page of an experiment's results. */
export function renderSharePage(model: ShareModel, drawing: Drawing): string {
  return renderPage(
    <Layout title={`${plainName(model.results.experiment.name)} – experiment results`}>
      <main class="page">
        <Masthead {...model} />
        <ResultSections model={model} drawing={drawing} />
      </main>
    </Layout>,
  );
}
