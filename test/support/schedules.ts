import { SchedulesService } from '../../src/experiments/schedules/schedules.service';
import type { TestApi } from './api';
import { fakeDate } from './fake-date';
import type { Made, Scene } from './scene';

const HOUR_MS = 3_600_000;

/** The time this many hours from now, in the format of responses. */
export const inHours = (hours: number): string =>
  new Date(Date.now() + hours * HOUR_MS).toISOString().replace('Z', '000Z');

/** Sets the clock of this process ahead or back. Undone by `jest.useRealTimers()`. */
export const shiftClock = (hours: number): void => fakeDate(Date.now() + hours * HOUR_MS);

/** The worker's step, which a server runs every second. */
export const runSchedules = ({ app }: TestApi): Promise<void> =>
  app.get(SchedulesService, { strict: false }).run();

/** An audit entry of the schedule. */
interface ScheduleEntry {
  action: string;
  actor: { type: string };
}

/**
 * The data that tests of scheduled status changes read and change. The clock is the real one at the start of each test.
 */
export function useSchedules(scene: Scene) {
  beforeEach(() => jest.useRealTimers());
  afterAll(() => jest.useRealTimers());

  const read = async ({ path }: { path: string }): Promise<Made> =>
    (await scene.client.get(path)).body as Made;

  const schedule = async (experiment: Made, fields: object): Promise<Made> => {
    const answer = await scene.client.patch(experiment.path, fields);
    expect(answer.status).toBe(200);
    return { ...experiment, ...answer.body } as Made;
  };

  /** The scheduled changes of an experiment, oldest first. */
  async function scheduled({ id }: Made): Promise<ScheduleEntry[]> {
    const path = `${scene.project}/audit?item_type=experiment&item_id=${id}&per_page=500`;
    const entries = (await scene.client.get(path)).body as ScheduleEntry[];
    return entries.filter(({ actor }) => actor.type === 'schedule').reverse();
  }

  const actionsOf = async (experiment: Made): Promise<string[]> =>
    (await scheduled(experiment)).map(({ action }) => action);

  return { read, schedule, scheduled, actionsOf };
}
