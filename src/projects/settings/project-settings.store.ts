import { Injectable } from '@nestjs/common';
import type { AnswerSources } from '../../access/route-access';
import { Database } from '../../database/database';
import { RowStore } from '../../database/row-store';
import { ProjectSettings } from './project-settings.entity';

/** The settings have a version of their own, besides the project's. */
export const SETTINGS_SOURCES: AnswerSources = {
  space: 'settings',
  param: 'project',
  joins: 'JOIN project_settings s ON s.id = ?',
  versions: ['s.version'],
  lasts: '0',
};

@Injectable()
export class ProjectSettingsStore extends RowStore<ProjectSettings> {
  constructor(database: Database) {
    super(database, ProjectSettings);
  }
}
