import { isNumbered, nameKey, nextFreeApiName } from '../../common/text/names';
import type { Known } from './definition-imports.store';

/** A goal or exclusion group in an import plan. */
export interface Planned {
  /** Unique in the export. The project may need a different number. */
  api_name: string;
  name: string;
  /** The `api_name` derived from the name, without a number. Absent if the `api_name` is a key in the export. */
  derived?: string;
}

/** The project's goals or exclusion groups, including those that the import has created. */
export class KnownRecords {
  constructor(private readonly records: Known[]) {}

  /** The project's record for a planned one. A derived api_name alone may belong to a record with a different name. */
  find({ api_name, name, derived }: Planned): Known | undefined {
    const key = nameKey(name.trim());
    return this.records.find((each) =>
      derived === undefined
        ? each.api_name === api_name
        : each.name_key === key && isNumbered(each.api_name, derived),
    );
  }

  /** The api_name with which to create a planned record. */
  newApiName({ api_name, derived }: Planned): string {
    return derived === undefined
      ? api_name
      : nextFreeApiName(derived, new Set(this.records.map((each) => each.api_name)));
  }

  add({ id, api_name, name }: { id: number; api_name: string; name: string }): void {
    this.records.push({ id, api_name, name_key: nameKey(name) });
  }
}
