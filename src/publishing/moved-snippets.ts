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
  const [whose, which] = ids.length === 1 ? ['snippet of project', 'it'] : ['snippets of projects', 'them'];
  return `The ${whose} ${ids.slice(0, MAX_NAMED).join(', ')}${more} were published with another PUBLIC_URL than ${publicUrl}, and send events there. Publish ${which} again.`;
}
