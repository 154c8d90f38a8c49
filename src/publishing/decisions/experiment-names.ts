import { API_NAME } from '../../common/text/names';
import type { Reader } from '../../database/delivery-pool';
import { experimentsThatRan, KnownExperiment } from '../published-names.store';

/**
 * All experiments of a project that ever ran. Publications only have live ones, so these are cached with the revision.
 */
export class ExperimentNames {
  private readonly byId: ReadonlyMap<number, KnownExperiment>;
  private readonly byName: ReadonlyMap<string, KnownExperiment>;

  /** @param all in the order of their ids */
  constructor(readonly all: readonly KnownExperiment[]) {
    this.byId = new Map(all.map((each) => [each.id, each]));
    this.byName = new Map(all.map((each) => [each.api_name, each]));
  }

  static async read(reader: Reader, projectId: number): Promise<ExperimentNames> {
    return new ExperimentNames(await experimentsThatRan(reader, projectId));
  }

  withId(id: number): KnownExperiment | undefined {
    return this.byId.get(id);
  }

  named(apiName: string): KnownExperiment | null {
    return API_NAME.test(apiName) ? (this.byName.get(apiName) ?? null) : null;
  }

  /** The experiments that ran and are not archived, in the order of their ids. */
  started(): KnownExperiment[] {
    return this.all.filter(({ isArchived }) => !isArchived);
  }
}
