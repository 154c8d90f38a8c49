import { Cells } from './cells';
import type { Answer } from './client';
import type { Made, Scene } from './scene';

export const PAGE = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
export const JSON_ONLY = { accept: 'application/json' };

/** An experiment whose results are shared. */
export interface SharedExperiment extends Made {
  /** `//share/<token>`, because test clients use `//` for paths outside the API. */
  address: string;
}

/** Creates an experiment that is ready to start, and reads its share link. */
export async function sharedExperiment(scene: Scene, fields: object = {}): Promise<SharedExperiment> {
  const experiment = await scene.make.ready(fields);
  const { body } = await scene.client.get(`${experiment.path}/results/info`);
  return { ...experiment, address: `//share/${body.share_token}` };
}

/** Reads the shared experiment without a token. */
export function visit(
  scene: Scene,
  address: string,
  headers: Record<string, string> = PAGE,
): Promise<Answer> {
  return scene.api.as(null).get(address, headers);
}

/** The text of a page, with single spaces between words. */
export const plain = (text: string): string =>
  text
    .replace(/<style>[^]*?<\/style>|<[^>]*>/g, ' ')
    .replace(/[\u2068\u2069]/g, '')
    .replace(/[\u202f\s]+/g, ' ');

export interface Daily {
  participants: number;
  converters: number;
}

/** The daily figures of an original and of a variation that hardly differs. */
const USUAL: readonly [Daily, Daily] = [
  { participants: 400, converters: 30 },
  { participants: 410, converters: 36 },
];

/** Adds these participants and converters on each day. The first figures are those of the original. */
export async function fillDays(
  scene: Scene,
  { id, variations, goals }: Made,
  days: readonly string[],
  [original, other]: readonly [Daily, Daily] = USUAL,
): Promise<void> {
  const cells = new Cells(scene.api, id);
  for (const day of days) {
    for (const [index, { participants, converters }] of [original, other].entries()) {
      const place = { variation: variations[index].id as number, day };
      cells.entered(place, participants).converted(goals[0].id as number, place, { converters });
    }
  }
  await cells.store();
}

/** The first days of May 2026: `2026-05-01` and so on. */
export const daysOfMay = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `2026-05-${String(index + 1).padStart(2, '0')}`);
