import type { EntityManager } from 'typeorm';

/** The pageview goals that count the views of a page, in the order of their ids. */
export function goalsOfPage(manager: EntityManager, pageId: number): Promise<{ id: number; name: string }[]> {
  return manager.query('SELECT id, name FROM goals WHERE page_id = ? ORDER BY id', [pageId]);
}
