import type { Reader } from '../database/delivery-pool';
import { scriptMark } from './build/publication-content';
import { PublicationStore } from './publication.store';

const MAX_NAMED = 20;

/**
 * The projects whose live script was built when the server had another `PUBLIC_URL`, and sends its events there.
 * @returns a sentence with the required change; null if there are none
 */
export async function movedSnippets(read: Reader, publicUrl: string): Promise<string | null> {
  const ids = await new PublicationStore().withoutText(read, scriptMark(publicUrl));
  if (ids.length === 0) {
    return null;
  }
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} others` : '';
  return `The snippets of these projects send events to an earlier PUBLIC_URL, not to ${publicUrl}: ${ids.slice(0, MAX_NAMED).join(', ')}${more}. Publish the projects again.`;
}
