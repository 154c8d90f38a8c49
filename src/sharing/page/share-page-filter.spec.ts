import { parseHTML } from 'linkedom';
import { GREEN_BUTTON, shareModel } from '../../../test/support/share-models';
import type { ResultFilter } from '../../results/experiment-results';
import { EVERYBODY } from '../../results/result-filter';
import type { ShareModel } from '../share-model';
import { renderSharePage } from './share-page';

const TABLETS: ResultFilter = { ...EVERYBODY, devices: ['tablet'] };
const [original, green] = GREEN_BUTTON;
const right = shareModel();
const wrong = shareModel({ variations: [original, { ...green, perDay: 600 }] });

async function pageOf(model: ShareModel): Promise<Document> {
  const text = await renderSharePage(model, { base: '', image: 'https://ab.example.com/assets/preview.png' });
  return parseHTML(text).document;
}

it('starts the description for link previews with the filter', async () => {
  const descriptionOf = async (model: ShareModel) =>
    (await pageOf(model)).querySelector('[property="og:description"]')?.getAttribute('content');
  expect(await descriptionOf(right)).toMatch(/^Green button is ahead, /);
  expect(await descriptionOf({ ...right, filter: TABLETS })).toMatch(
    /^All participants, on tablet devices\. Green button is ahead, /,
  );
  expect(await descriptionOf({ ...wrong, filter: TABLETS })).toBe(
    'All participants, on tablet devices. Do not trust this result: sample ratio mismatch.',
  );
});

it('shows mature cohorts as a filter only if a goal has a conversion window', async () => {
  const mature: ShareModel = { ...wrong, filter: { ...EVERYBODY, cohorts: 'mature' } };
  const shownOf = async (model: ShareModel) => {
    const page = await pageOf(model);
    return [
      page.querySelector('.filtered')?.textContent ?? null,
      page.querySelector('.filter summary span')?.textContent,
      page.querySelectorAll('.notice table').length,
    ];
  };
  expect(await shownOf(mature)).toEqual([null, 'All participants, on all devices.', 1]);
  const words =
    'All participants, on all devices. Goals with a conversion window include only participants whose window has ended.';
  const windowed = { ...mature, results: { ...mature.results, hasWindows: true } };
  expect(await shownOf(windowed)).toEqual([words, words, 2]);
});
