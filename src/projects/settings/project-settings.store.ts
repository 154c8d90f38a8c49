import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AnswerSources } from '../../platform/access/route-access';
import { Database } from '../../database/database';
import { RowStore } from '../../database/row-store';
import { ProjectSettings } from './project-settings.entity';

/** The settings have their own version, in addition to the project's. */
export const SETTINGS_SOURCES: AnswerSources = {
  space: 'settings',
  param: 'project',
  joins: 'JOIN project_settings s ON s.id = ?',
  versions: ['s.version'],
  lasts: '0',
};

/** Whether new experiments in a project are shared. */
export async function sharesByDefault(manager: EntityManager, projectId: number): Promise<boolean> {
  const [row]: { share_by_default: number | boolean }[] = await manager.query(
    'SELECT share_by_default FROM project_settings WHERE id = ?',
    [projectId],
  );
  return Boolean(row?.share_by_default ?? true);
}

@Injectable()
export class ProjectSettingsStore extends RowStore<ProjectSettings> {
  constructor(database: Database) {
    super(database, ProjectSettings);
  }
}
