import { type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';
import { apiNameFrom, nextFreeApiName } from '../../common/text/names';
import { addColumn } from './schema';

const INDEX = 'uq_audiences_api_name';

interface Audience {
  id: number;
  project_id: number;
  name: string;
}

/**
 * Adds an api_name to audiences, as the other resources have, so that definitions can refer to audiences without ids.
 */
export class AudienceApiNames1790006500000 implements MigrationInterface {
  readonly name = 'AudienceApiNames1790006500000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'audiences', 'api_name', 'apiName');
    const audiences = (await runner.query(
      'SELECT id, project_id, name FROM audiences ORDER BY id',
    )) as Audience[];
    for (const [id, apiName] of apiNames(audiences)) {
      await runner.query('UPDATE audiences SET api_name = ? WHERE id = ?', [apiName, id]);
    }
    const columnNames = ['project_id', 'api_name'];
    await runner.createIndex('audiences', new TableIndex({ name: INDEX, columnNames, isUnique: true }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('audiences', INDEX);
    await runner.query('ALTER TABLE audiences DROP COLUMN api_name');
  }
}

/** The names by audience id. The names depend only on the rows, so a repeated migration writes the same names. */
function apiNames(audiences: readonly Audience[]): Map<number, string> {
  const taken = new Map<number, Set<string>>();
  return new Map(
    audiences.map(({ id, project_id, name }) => {
      const names = taken.get(project_id) ?? new Set();
      const apiName = nextFreeApiName(apiNameFrom(name, 'audience'), names);
      taken.set(project_id, names.add(apiName));
      return [id, apiName];
    }),
  );
}
