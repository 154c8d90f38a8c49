import { type Json, numberIn, objectsIn, textIn } from '../export-values';
import { type ImportedKind, ImportPlan } from '../import-plan';

/** The lists in responses of the REST API. */
const LISTS: Readonly<Record<string, ImportedKind>> = {
  experiments: 'experiment',
  features: 'feature',
  metrics: 'goal',
  factMetrics: 'goal',
  savedGroups: 'audience',
};

/** Reports lists whose pages are not all in the files. Responses contain the total of all pages. */
export function listMissingPages(plan: ImportPlan, documents: readonly Json[]): void {
  const lists = Object.keys(LISTS);
  const responses = documents.filter(
    (document) => lists.filter((field) => Array.isArray(document[field])).length === 1,
  );
  for (const [field, kind] of Object.entries(LISTS)) {
    const pages = responses.filter((document) => Array.isArray(document[field]));
    const records = documents.flatMap((document) => objectsIn(document[field]));
    // Experiments in SDK payloads have no id, and are not part of a list.
    const ids = new Set(records.map((record) => textIn(record, 'id')).filter((id) => id !== ''));
    const total = Math.max(0, ...pages.map((page) => numberIn(page, 'total', 0)));
    const hasMore =
      pages.some((page) => page.hasMore === true) && pages.every((page) => page.hasMore !== false);
    if (total > ids.size || (total === 0 && hasMore)) {
      const missing = total === 0 ? `Further ${field}` : `${total - ids.size} of ${total} ${field}`;
      plan.skip(
        kind,
        '(further pages)',
        `${missing} are not in the files. Save each page of the list in a separate file.`,
      );
    }
  }
}
