import { LATE_MICROS } from '../../src/common/limits';
import { DefinitionStore } from '../../src/events/definitions.store';
import { EventLog } from '../../src/events/event-log';
import type { LinkRequest } from '../../src/events/links/link-request';
import { changeCounting } from '../../src/experiments/experiment-run.store';
import { changeCountingInProject } from '../../src/resources/goals/goal.store';
import type { AnyEvent, AnyLink, Course } from './brute-force';
import { GOALS } from './event-sets';
import type { Made, Scene } from './scene';

const asRequest = ({ kind, from, to, linkedAt }: AnyLink): LinkRequest => ({
  kind,
  from,
  to,
  requestedAt: linkedAt,
  refusal: null,
});

/** Stores the random events, links and runs of event-sets.ts in the database. */
export class Histories {
  /** The ids of records in the database, by the ids that the random events use. */
  readonly ids = new Map<number, number>();

  constructor(private readonly scene: Scene) {}

  /** Creates the goals, and running experiments with variations. */
  async prepare(): Promise<void> {
    const { make } = this.scene;
    const goals = [await make.goal({ value_type: 'number' }), await make.goal({ value_type: 'number' })];
    goals.forEach(({ id }, index) => this.ids.set(GOALS[index], id));
    for (const number of [1, 2]) {
      const variations = [{ name: 'A' }, { name: 'B' }, { name: 'C' }];
      const experiment = await make.withStatus('running', { variations, goals: goals.map(({ id }) => id) });
      this.ids.set(number, experiment.id);
      experiment.variations.forEach(({ id }: Made, index: number) => this.ids.set(number * 100 + index, id));
    }
  }

  asStored(event: AnyEvent): AnyEvent {
    const real = (id: number | null): number | null => (id === null ? null : (this.ids.get(id) ?? null));
    return {
      ...event,
      experiment_id: real(event.experiment_id),
      variation_id: real(event.variation_id),
      goal_id: real(event.goal_id),
    };
  }

  /** Stores events and links as collection does, but with any timestamps. */
  async store(events: readonly AnyEvent[], links: readonly AnyLink[] = []): Promise<void> {
    const { api, world } = this.scene;
    const { projectId } = world;
    const [{ version }]: { version: number }[] = await api.database.read.query(
      'SELECT version FROM project_versions WHERE project_id = ?',
      [projectId],
    );
    const definitions = await api.app
      .get(DefinitionStore, { strict: false })
      .load(api.database.read, projectId, version);
    const log = api.app.get<EventLog>(EventLog, { strict: false });
    await log.append([{ definitions, events: [...events], links: links.map(asRequest) }]);
  }

  /**
   * Changes the runs and phases of the experiments, archives them if their results are final, and sets the goal caps to
   * those of the first experiment's course.
   */
  async change(courses: ReadonlyMap<number, Course>): Promise<void> {
    const { api, world } = this.scene;
    await api.database.transaction(async (tx) => {
      for (const [number, { runs, finalAt, phases }] of courses) {
        const id = this.ids.get(number)!;
        const archivedAt = finalAt === null ? null : finalAt - LATE_MICROS;
        await changeCounting(tx, id);
        await tx.query('UPDATE experiments SET archived_at = ? WHERE id = ?', [archivedAt, id]);
        await tx.query('DELETE FROM experiment_runs WHERE experiment_id = ?', [id]);
        await tx.query('DELETE FROM experiment_phases WHERE experiment_id = ?', [id]);
        for (const [index, began] of phases.entries()) {
          await tx.query(
            'INSERT INTO experiment_phases (experiment_id, number, began_at, shares) VALUES (?, ?, ?, ?)',
            [id, index + 1, began, '{}'],
          );
        }
        for (const { startedAt, endedAt } of runs) {
          await tx.query(
            'INSERT INTO experiment_runs (experiment_id, started_at, ended_at) VALUES (?, ?, ?)',
            [id, startedAt, endedAt],
          );
        }
      }
      const [{ caps }] = courses.values();
      for (const goal of GOALS) {
        await tx.query('UPDATE goals SET value_cap = ? WHERE id = ?', [
          caps.get(goal) ?? null,
          this.ids.get(goal),
        ]);
      }
      await changeCountingInProject(tx, world.projectId);
      await tx.query('UPDATE project_versions SET version = version + 1');
    });
  }
}
