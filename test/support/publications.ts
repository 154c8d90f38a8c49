import type { Maker, Scene } from './scene';

const HOUR_MICROS = 3_600_000_000;

/**
 * Makes all publications of a project older. Servers keep what they have read until the project changes, so this also
 * creates an audience.
 */
export async function agePublications({ api }: Scene, make: Maker, hours: number): Promise<void> {
  await api.database.transaction((tx) =>
    tx.query('UPDATE publications SET created_at = created_at - ? WHERE project_id = ?', [
      hours * HOUR_MICROS,
      make.projectId,
    ]),
  );
  await make.audience();
}
