import type { SnippetConfig } from './config';
import { sessionCountry } from './country';
import { startSnippet } from './start';

export const start = (config: SnippetConfig): void =>
  startSnippet(config, () => ({}), sessionCountry(config));
