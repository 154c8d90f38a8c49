import type { AgentReader } from './attributes';
import type { SnippetConfig } from './config';
import type { CountrySource } from './country';
import { guarded } from './guard';
import { publicInterface } from './public-interface';
import { loadPreview, Preview, previewToken } from './preview';
import { Snippet } from './snippet';

declare global {
  interface Window {
    gosset?: unknown;
  }
}

/**
 * Finds the script tag of a module, because modules cannot determine which tag loaded them. If no tag has the address of
 * the script, a page may contain the script itself. In that case, any module that requires consent counts.
 */
const moduleTag = ({ clientKey }: SnippetConfig): Element | null =>
  document.querySelector(`script[src*="/s/${clientKey}"]`) ??
  document.querySelector('script[type=module][data-consent=required]');

/**
 * Starts the snippet on this page, unless one is already running. `window.gosset` is set first, because the project's
 * code may use its tools.
 */
export const startSnippet = guarded(
  (config: SnippetConfig, readAgent: AgentReader, country: CountrySource): void => {
    const { gosset } = window;
    const isArray = Array.isArray(gosset);
    if (!isArray && 'getTools' in Object(gosset)) {
      return;
    }
    const pushed: unknown[] = isArray ? gosset : [];
    const token = config.preview === undefined ? previewToken() : null;
    if (token !== null) {
      loadPreview(config, token, pushed);
    } else if (config.preview !== undefined) {
      const preview = new Preview(config, config.preview.variation);
      window.gosset = publicInterface(preview);
      preview.begin();
    } else {
      const snippet = new Snippet(config, readAgent, country);
      window.gosset = publicInterface(snippet);
      snippet.begin(pushed, document.currentScript ?? moduleTag(config));
    }
  },
);
