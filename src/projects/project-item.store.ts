import type { EntityManager } from 'typeorm';
import type { ListQuery } from '../common/lists/list-query';
import { nameKey } from '../common/text/names';
import { listRows } from '../database/named-rows';
import { RowStore } from '../database/row-store';
import type { ProjectItem } from './resources/resource';

/** The rows of a standard resource. */
export class ProjectItemStore<E extends ProjectItem> extends RowStore<E> {
  async listOfProject(
    manager: EntityManager,
    projectId: number,
    query: ListQuery,
  ): Promise<{ rows: E[]; total: number }> {
    const inProject = { sql: 'project_id = ?', parameters: [projectId] };
    const { rows, total } = await listRows(manager, this, this.columnNames, inProject, query);
    return { rows: rows as E[], total };
  }

  countOfProject(manager: EntityManager, projectId: number): Promise<number> {
    return this.count(manager, 'project_id = ?', [projectId]);
  }

  /** All rows of a project. */
  ofProject(manager: EntityManager, projectId: number): Promise<E[]> {
    return this.find(manager, 'project_id = ?', [projectId]);
  }

  /** The rows of a project with exactly this name, oldest first. */
  namesakes(manager: EntityManager, projectId: number, name: string): Promise<E[]> {
    const parameters = [projectId, nameKey(name)];
    return this.find(manager, 'project_id = ? AND name_key = ?', parameters, 'ORDER BY created_at, id');
  }

  /** The project's oldest row with exactly this name; null if there is none. */
  async findByName(manager: EntityManager, projectId: number, name: string): Promise<E | null> {
    const [row = null] = await this.find(
      manager,
      'project_id = ? AND name_key = ?',
      [projectId, nameKey(name)],
      'ORDER BY created_at, id LIMIT 1',
    );
    return row;
  }
}
