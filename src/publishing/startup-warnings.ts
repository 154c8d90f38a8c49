import type { ConditionTree } from '../resources/audiences/condition-tree';
import { translatePattern, UnsupportedSyntaxError } from '../common/patterns/translation';
import { checkPattern } from '../common/validation/pattern';
import type { Reader } from '../database/delivery-pool';
import type { PageCondition } from '../resources/pages/page-conditions';
import { scriptMark } from './build/publication-content';
import { PublicationStore } from './publication.store';
import { PATTERN_KINDS, PatternKind, withRegularExpressions } from './stored-pattern.store';

const MAX_NAMED = 20;

/**
 * Finds the projects whose live script was built for a different `PUBLIC_URL` and still sends its events there.
 * @returns a sentence that says what to change; null if there are no such projects
 */
export async function movedSnippets(read: Reader, publicUrl: string): Promise<string | null> {
  const ids = await new PublicationStore().withoutText(read, scriptMark(publicUrl));
  if (ids.length === 0) {
    return null;
  }
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} others` : '';
  return `The snippets of these projects send events to a different PUBLIC_URL, not to ${publicUrl}: ${ids.slice(0, MAX_NAMED).join(', ')}${more}. Publish the projects again, or correct PUBLIC_URL, which must be the same for all processes.`;
}

/**
 * Finds the pages and audiences whose regular expression was saved by a release that accepted more syntax. Such
 * expressions never match on the server.
 * @returns for each one, a sentence that says what to change
 */
export async function unsupportedPatterns(read: Reader): Promise<string[]> {
  const found = await Promise.all(PATTERN_KINDS.map((kind) => unsupportedIn(read, kind)));
  return found.flat();
}

async function unsupportedIn(read: Reader, kind: PatternKind): Promise<string[]> {
  const rows = await withRegularExpressions(read, kind);
  return rows.flatMap(({ id, project_id, name, conditions }) => {
    const pattern = patternsIn(kind, JSON.parse(conditions)).find((each) => !isSupported(each));
    return pattern === undefined
      ? []
      : [
          `The ${kind} ${id} ("${name}") of project ${project_id} never matches on the server: ${checkPattern(pattern) ?? ''}`,
        ];
  });
}

const patternsIn = (kind: PatternKind, conditions: unknown): string[] =>
  kind === 'page'
    ? (conditions as PageCondition[]).filter(({ match }) => match === 'regex').map(({ value }) => value)
    : patternsOf(conditions as ConditionTree);

function patternsOf(tree: ConditionTree): string[] {
  if (!Array.isArray(tree)) {
    return tree.match === 'regex' ? [String(tree.value)] : [];
  }
  const [, ...operands] = tree;
  return operands.flatMap(patternsOf);
}

function isSupported(pattern: string): boolean {
  try {
    translatePattern(pattern);
    return true;
  } catch (error) {
    if (error instanceof UnsupportedSyntaxError) {
      return false;
    }
    throw error;
  }
}
