import type { DataSource } from 'typeorm';
import { migrations } from './migrations';
import { OpeningError } from './opening-error';

/** @throws OpeningError if a later release has migrated the database: this one would write what that one cannot read */
export async function refuseLaterRelease(writer: DataSource): Promise<void> {
  const runner = writer.createQueryRunner();
  try {
    if (!(await runner.hasTable('migrations'))) {
      return;
    }
    const applied: { name: string }[] = await runner.manager.query('SELECT name FROM migrations ORDER BY id');
    const known = new Set<string>(migrations.map((each) => new each().name));
    const unknown = applied.flatMap(({ name }) => (known.has(name) ? [] : [name]));
    if (unknown.length > 0) {
      throw new OpeningError(
        `A later release has migrated this database: ${unknown.join(', ')}. Install that release, or restore the backup that was made before its upgrade.`,
      );
    }
  } finally {
    await runner.release();
  }
}
