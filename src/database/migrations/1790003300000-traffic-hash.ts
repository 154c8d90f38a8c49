import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

/** All visitors, in basis points. */
const WHOLE = 10_000;

interface Revision {
  project_id: number;
  revision: number;
  created_at: number | string;
}

/**
 * Introduces a separate hash for the traffic allocation. Started experiments keep their single hash, so visitors keep
 * their variations. Whether a phase had traffic below 100% is derived from the publications.
 */
export class TrafficHash1790003300000 implements MigrationInterface {
  readonly name = 'TrafficHash1790003300000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'experiments', 'traffic_in_ranges', 'flag');
    await addColumn(runner, 'experiment_phases', 'has_partial_traffic', 'flag');
    await runner.query('UPDATE experiments SET traffic_in_ranges = 1 WHERE started_at IS NOT NULL');
    const revisions = (await runner.query(
      'SELECT project_id, revision, created_at FROM publications ORDER BY project_id, revision',
    )) as Revision[];
    for (const revision of revisions) {
      for (const experimentId of await partialIn(runner, revision)) {
        await notePartial(runner, experimentId, Number(revision.created_at));
      }
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE experiment_phases DROP COLUMN has_partial_traffic');
    await runner.query('ALTER TABLE experiments DROP COLUMN traffic_in_ranges');
  }
}

/** The ids of the experiments that a revision published with traffic below 100%. */
async function partialIn(runner: QueryRunner, { project_id, revision }: Revision): Promise<number[]> {
  const pieces = (await runner.query(
    `SELECT bytes FROM publication_parts
      WHERE project_id = ? AND revision = ? AND part = 'definitions' ORDER BY position`,
    [project_id, revision],
  )) as { bytes: Buffer }[];
  const json = Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();
  const { experiments = [] } = JSON.parse(json || '{}') as {
    experiments?: { id: number; traffic: number }[];
  };
  return experiments.filter(({ traffic }) => traffic > 0 && traffic < WHOLE).map(({ id }) => id);
}

/**
 * Marks the phase that an experiment was in when the revision was published. Phase 1 always qualifies, because it may
 * have begun shortly after the publication.
 */
async function notePartial(runner: QueryRunner, experimentId: number, publishedAt: number): Promise<void> {
  const [phase] = (await runner.query(
    `SELECT MAX(number) AS number FROM experiment_phases
      WHERE experiment_id = ? AND (number = 1 OR began_at <= ?)`,
    [experimentId, publishedAt],
  )) as { number: number | null }[];
  await runner.query(
    'UPDATE experiment_phases SET has_partial_traffic = 1 WHERE experiment_id = ? AND number = ?',
    [experimentId, phase.number ?? 0],
  );
}
