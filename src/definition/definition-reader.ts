import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { mapInTurns } from '../common/event-loop';
import { ExperimentReader } from '../experiments/experiment-reader';
import type { ExperimentRecord } from '../experiments/experiment.record';
import type { NamedRecord } from '../projects/resources/resource';
import { ProjectsService } from '../projects/projects.service';
import { ProjectSettingsService } from '../projects/settings/project-settings.service';
import { ResourceItems } from '../resources/registry';
import { apiNameOf, Definition, FORMAT, Item, NamesById, toItem } from './definition';
import { DEFINED, fieldsIn, PROJECT_FIELDS, SETTINGS_FIELDS, VARIATION_FIELDS } from './definition-fields';

type ApiNamed = NamedRecord & { api_name: string };

/** A project's definition, and its records. */
export interface Defined {
  definition: Definition;
  /** The record ids in each collection, by api_name. */
  ids: ReadonlyMap<string, Map<string, number>>;
  experiments: ReadonlyMap<string, ExperimentRecord>;
}

/** Reads all definitions of a project, with a constant number of statements. */
@Injectable()
export class DefinitionReader {
  constructor(
    private readonly projects: ProjectsService,
    private readonly settings: ProjectSettingsService,
    private readonly resources: ResourceItems,
    private readonly experiments: ExperimentReader,
  ) {}

  /** Reads the definition of a project. @param manager inside or outside a transaction */
  async read(manager: EntityManager, projectId: number): Promise<Defined> {
    const project = await this.projects.read(manager, projectId);
    const settings = await this.settings.read(manager, projectId);
    const records = new Map<string, ApiNamed[]>();
    for (const resource of DEFINED) {
      const rows = await this.resources.of(resource).store.ofProject(manager, projectId);
      records.set(
        resource.collection,
        rows.map((row) => resource.toRecord(row) as ApiNamed),
      );
    }
    const experiments = await this.experiments.ofProject(manager, projectId);
    const names: NamesById = new Map(
      [...records].map(([collection, list]) => [
        collection,
        new Map(list.map((each) => [each.id, each.api_name])),
      ]),
    );
    const sections: [string, Item[]][] = [];
    for (const [section, list] of records) {
      const items = await mapInTurns(list, (record) => toItem(fieldsIn(section), record, names));
      sections.push([section, sorted(items)]);
    }
    const items = await mapInTurns(experiments, (record) => experimentItem(record, names));
    const definition: Definition = {
      version: FORMAT,
      project: toItem(PROJECT_FIELDS, project.record, names),
      settings: toItem(SETTINGS_FIELDS, settings.record, names),
      ...Object.fromEntries(sections),
      experiments: sorted(items),
    };
    const lists: [string, ApiNamed[]][] = [...records, ['experiments', experiments]];
    return {
      definition,
      ids: new Map(lists.map(([section, list]) => [section, idsByName(list)])),
      experiments: new Map(experiments.map((record) => [record.api_name, record])),
    };
  }
}

const idsByName = (records: readonly ApiNamed[]): Map<string, number> =>
  new Map(records.map(({ id, api_name }) => [api_name, id]));

/** The items, sorted by api_name in code point order, which is the same on every machine. */
const sorted = (items: readonly Item[]): Item[] =>
  [...items].sort((a, b) => (apiNameOf(a) < apiNameOf(b) ? -1 : 1));

/** An experiment as an item. Its variations keep their creation order, which determines the assignment of visitors. */
function experimentItem(record: ExperimentRecord, names: NamesById): Item {
  const { api_name, name, ...fields } = toItem(fieldsIn('experiments'), record, names);
  const variations = record.variations.map((variation) => toItem(VARIATION_FIELDS, variation, names));
  return { api_name, name, status: record.status, ...fields, variations };
}
