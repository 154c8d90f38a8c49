import type { Type } from '@nestjs/common';
import {
  DefinitionImportsService,
  type ImportReport,
  type ImportTarget,
} from '../../src/definition/imports/definition-imports.service';
import { ImportPlan } from '../../src/definition/imports/import-plan';
import { ExperimentsService } from '../../src/experiments/experiments.service';
import { ProjectWriter } from '../../src/projects/project-writer';
import { ProjectsService } from '../../src/projects/projects.service';
import { AUDIENCES } from '../../src/resources/audiences/audiences.resource';
import { EXCLUSION_GROUPS } from '../../src/resources/exclusion-groups/exclusion-groups.resource';
import { GOALS } from '../../src/resources/goals/goals.resource';
import { useImports } from '../support/imported-definitions';

/* Imports by `project:import` that run at the same time. */

const stage = useImports();

describe('simultaneous imports', () => {
  const plan = new ImportPlan();
  plan.audiences.push({
    name: 'Germans',
    api_name: 'germans',
    conditions: { type: 'country', match: 'exact', value: 'DE' },
  });
  plan.goals.push({ name: 'Sale', api_name: 'sale', type: 'custom', value_type: 'none' });

  /** Runs two imports with their own services, like two processes. */
  function runTwo(target: ImportTarget): Promise<ImportReport[]> {
    const { app, database } = stage.api;
    const part = <T>(token: Type<T> | symbol): T => app.get<T>(token, { strict: false });
    const run = (): Promise<ImportReport> =>
      new DefinitionImportsService(
        database,
        part(ProjectWriter),
        part(ProjectsService),
        part(AUDIENCES.items),
        part(EXCLUSION_GROUPS.items),
        part(GOALS.items),
        part(ExperimentsService),
      ).run(plan, target, false);
    return Promise.all([run(), run()]);
  }

  const expectOneRecordEach = (reports: readonly ImportReport[]): void => {
    const names = reports.map(({ created, existing, not_taken }) => [
      [...created.audiences, ...created.goals],
      [...existing.audiences, ...existing.goals],
      not_taken,
    ]);
    names.sort(([first], [second]) => second.length - first.length);
    expect(names).toEqual([
      [['Germans', 'sale'], [], []],
      [[], ['Germans', 'sale'], []],
    ]);
  };

  it('create a missing project only once', async () => {
    const reports = await runTwo({ teamId: stage.world.teamId, name: 'Same' });
    expect(new Set(reports.map(({ project_id }) => project_id)).size).toBe(1);
    expectOneRecordEach(reports);
  });

  it('into the same project create each record only once', async () => {
    const projectId = await stage.api.project(stage.world.teamId, 'Shared');
    expectOneRecordEach(await runTwo({ projectId }));
  });
});
