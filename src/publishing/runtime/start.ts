import type { AgentReader } from './attributes';
import type { SnippetConfig } from './config';
import type { CountrySource } from './country';
import { guarded, warn } from './guard';
import { Gosset, publicInterface } from './public-interface';
import { loadPreview, Preview, previewToken } from './preview';
import { Snippet } from './snippet';

declare global {
  interface Window {
    gosset?: unknown;
  }
}

/**
 * The script tags whose attributes apply: the running one and those with the address of the script. Modules cannot
 * determine which tag loaded them, and jQuery loads scripts through a tag of its own, without the attributes. If there is
 * no such tag, a page may contain the script itself as a module. In that case, any module that requires consent counts.
 */
function ownTags({ clientKey }: SnippetConfig): Element[] {
  const tags = (selector: string): Element[] => [...document.querySelectorAll(`script${selector}`)];
  const { currentScript } = document;
  const own = [...(currentScript === null ? [] : [currentScript]), ...tags(`[src*="/s/${clientKey}"]`)];
  return own.length > 0 ? own : tags('[type=module][data-consent=required]');
}

/**
 * Starts the snippet on this page, unless one is already running. `window.gosset` is set first, because the project's
 * code may use its tools.
 */
export const startSnippet = guarded(
  (config: SnippetConfig, readAgent: AgentReader, country: CountrySource): void => {
    const { gosset } = window;
    const isArray = Array.isArray(gosset);
    if (!isArray && 'getTools' in Object(gosset)) {
      const { clientKey = config.clientKey } = gosset as Partial<Gosset>;
      if (clientKey !== config.clientKey) {
        warn(`only one project runs on a page: ${clientKey}, not ${config.clientKey}.`);
      }
      return;
    }
    const pushed: unknown[] = isArray ? gosset : [];
    const token = config.preview === undefined ? previewToken() : null;
    if (token !== null) {
      loadPreview(config, token, pushed);
    } else if (config.preview !== undefined) {
      const preview = new Preview(config, config.preview.variation);
      window.gosset = publicInterface(preview, config);
      preview.begin();
    } else {
      const snippet = new Snippet(config, readAgent, country);
      const own = publicInterface(snippet, config);
      window.gosset = own;
      // Scripts that ran earlier may keep a reference to the array.
      Object.assign(pushed, { push: own.push });
      snippet.begin(pushed, ownTags(config));
    }
  },
);
