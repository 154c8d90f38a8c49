import { SchedulesService } from '../../src/experiments/schedules/schedules.service';
import type { TestApi } from './api';
import { fakeDate } from './fake-date';
import type { Made, Scene } from './scene';

const HOUR_MS = 3_600_000;

/** The time this many hours from now, in the format of API responses. */
export const inHours = (hours: number): string =>
  new Date(Date.now() + hours * HOUR_MS).toISOString().replace('Z', '000Z');

/** Shifts the clock of this process and freezes it. `jest.useRealTimers()` undoes it. */
export const shiftClock = (hours: number): void => fakeDate(Date.now() + hours * HOUR_MS);

/** Runs the step that the worker of a server runs every second. */
export const runSchedules = ({ app }: TestApi): Promise<void> =>
  app.get(SchedulesService, { strict: false }).run();

/** An audit entry made by the schedule. */
interface ScheduleEntry {
  action: string;
  actor: { type: string };
}

/** Functions that read and change schedules. Each test starts with the real clock. */
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

  /** The status changes that the schedule has made to an experiment, oldest first. */
  async function scheduled({ id }: Made): Promise<ScheduleEntry[]> {
    const path = `${scene.project}/audit?item_type=experiment&item_id=${id}&per_page=500`;
    const entries = (await scene.client.get(path)).body as ScheduleEntry[];
    return entries.filter(({ actor }) => actor.type === 'schedule').reverse();
  }

  const actionsOf = async (experiment: Made): Promise<string[]> =>
    (await scheduled(experiment)).map(({ action }) => action);

  return { read, schedule, scheduled, actionsOf };
}
