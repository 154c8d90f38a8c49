import { parseHTML } from 'linkedom';
import { renderToString } from 'preact-render-to-string';
import { MadeVariation, shareModel } from '../../../test/support/share-models';
import type { Frame } from '../../account/pages/frame';
import { ExperimentTable } from './experiment-table';

interface Part {
  querySelectorAll(selector: string): Iterable<{ getAttribute(name: string): string }>;
}

const FRAME = { base: '' } as Frame;

/** The list with one experiment with these variations. */
function list(variations: MadeVariation[]): { text: string; page: Part } {
  const { results, progress } = shareModel({ variations });
  const overview = { results, progress: progress[0] };
  const experiments = [{ id: 1, name: 'Button', status: 'running' as const, overview }];
  const text = renderToString(ExperimentTable({ frame: FRAME, projectId: 1, caption: 'All', experiments }));
  return { text, page: parseHTML(`<body>${text}</body>`).document };
}

const lineOf = (page: Part) => ({
  label: [...page.querySelectorAll('.sparkline')][0].getAttribute('aria-label'),
  colours: [...page.querySelectorAll('.sparkline path')].map((path) => path.getAttribute('stroke')),
});

const named = (name: string, rate: number): MadeVariation => ({ name, perDay: 400, rate });

it('draws all variations if their lines can be told apart', () => {
  const { page } = list(['A', 'B', 'C', 'D', 'E'].map((name) => named(name, 0.1)));
  const { label, colours } = lineOf(page);
  expect(new Set(colours).size).toBe(5);
  expect(label).toMatch(/A .*B .*C .*D .*E [\d.]+\u202f%\.$/);
});

it('draws only the original and the decided variation if there are many, and counts the others', () => {
  const others = Array.from({ length: 6 }, (_, index) => named(`Other ${index}`, 0.08));
  const { page, text } = list([named('Original', 0.08), ...others, named('Best', 0.15)]);
  const { label, colours } = lineOf(page);
  expect(text).toContain('\u2068Best\u2069 is better');
  expect(colours).toEqual(['var(--series-0)', 'var(--series-7)']);
  expect(label).toMatch(
    /At the end: Original [\d.]+\u202f% and Best [\d.]+\u202f%\. 6 other variations not shown\.$/,
  );
});
