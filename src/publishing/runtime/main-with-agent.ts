import { agentOf } from '../user-agent';
import type { SnippetConfig } from './config';
import { noCountry } from './country';
import { startSnippet } from './start';

export const start = (config: SnippetConfig): void => startSnippet(config, agentOf, noCountry);
