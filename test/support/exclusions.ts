import { ExclusionsService } from '../../src/events/exclusions/exclusions.service';
import { RebuildService } from '../../src/events/rebuild.service';
import { attributeAll, conversion, exposure, send, shownCells } from './events';
import { Made, useScene } from './scene';

/** The number of visitors. Each participates in both experiments. */
export const VISITORS = 12;
export const nameOf = (number: number): string => `visitor-${String(number).padStart(2, '0')}`;

interface State {
  cells: string[];
  spans: unknown;
}

/**
 * Creates two running experiments with visitors to exclude. Returns them, with functions that send events, list
 * exclusions, and read or rebuild the results.
 */
export function useExclusions() {
  const scene = useScene();
  const service = (): ExclusionsService => scene.api.app.get(ExclusionsService, { strict: false });
  const rebuilds = (): RebuildService => scene.api.app.get(RebuildService, { strict: false });

  let key: string;
  const experiments: Made[] = [];

  beforeAll(async () => {
    key = (await scene.client.get(scene.project)).body.client_key as string;
    await scene.make.goal({ name: 'Sale', value_type: 'revenue' });
    experiments.push(await scene.make.withStatus('running'), await scene.make.withStatus('running'));
    for (let number = 0; number < VISITORS; number += 1) {
      expect((await sendFor(number)).body.accepted).toBe(4);
    }
    await attributeAll(scene.api);
  });

  /** Sends the events of a visitor who participates in both experiments, returns in another variation, and buys. */
  function sendFor(number: number) {
    const [first, second] = experiments;
    const visitor = nameOf(number);
    return send(scene.api, key, [
      exposure(visitor, first.id, first.variations[number % 2].id),
      exposure(visitor, second.id, second.variations[0].id),
      conversion(visitor, 'sale', number + 0.0001),
      exposure(visitor, first.id, first.variations[0].id),
    ]);
  }

  const scopeOf = (numbers: readonly number[], experimentId: number | null = null) => ({
    projectId: scene.world.projectId,
    experimentId,
    criteria: { ids: numbers.map(nameOf) },
  });

  const openExclusions = async () =>
    (await service().list(scene.world.projectId)).filter(({ undone_at }) => undone_at === null);

  async function shown(): Promise<State> {
    const spans: Record<string, unknown>[] = await scene.api.database.read.query(
      'SELECT experiment_id, first_event_at, last_event_at FROM experiment_results ORDER BY experiment_id',
    );
    return {
      cells: await shownCells(scene.api),
      spans: spans.map((span) => Object.values(span).map(String)),
    };
  }

  /** Rebuilds the results, and returns them. */
  async function rebuilt(): Promise<State> {
    await rebuilds().rebuild({});
    return shown();
  }

  /** The participants of each experiment, as the API returns them. */
  async function participants(): Promise<number[]> {
    const counts = experiments.map(async ({ path }) => {
      const { status, body } = await scene.client.get(`${path}/results/info`);
      expect(status).toBe(200);
      return body.participants as number;
    });
    return Promise.all(counts);
  }

  return {
    scene,
    experiments,
    service,
    rebuilds,
    sendFor,
    scopeOf,
    openExclusions,
    shown,
    rebuilt,
    participants,
  };
}
