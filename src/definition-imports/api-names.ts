import { API_NAME, apiNameFrom } from '../common/text/names';
import { ImportedKind, ImportPlan } from './import-plan';

/** The api_name for a key. Keys with other characters get a different one, which is reported. */
export function apiNameOf(plan: ImportPlan, kind: ImportedKind, key: string): string {
  if (API_NAME.test(key)) {
    return key;
  }
  const apiName = apiNameFrom(key, kind);
  plan.skip(kind, key, `API names are lower-case here. Use ${apiName} in your code instead.`, 'key');
  return apiName;
}

/** The api_names of variations, from keys that may be any text. Equal ones get numbers, as in the API. */
export function variationApiNames(keys: readonly string[]): string[] {
  const names: string[] = [];
  for (const key of keys) {
    const wanted = API_NAME.test(key) ? key : apiNameFrom(key, 'variation');
    let free = wanted;
    for (let number = 2; names.includes(free); number += 1) {
      free = `${wanted.slice(0, 60)}-${number}`;
    }
    names.push(free);
  }
  return names;
}
