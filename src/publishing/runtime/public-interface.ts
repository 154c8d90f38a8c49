import type { SnippetConfig } from './config';
import { guarded } from './guard';
import { PageTools, pageTools } from './page-tools';

/** `window.gosset`. Before the script has loaded, it is an array to which pages push commands. */
export interface Gosset {
  /** See `snippet.ts` for the valid commands. */
  readonly push: (...commands: unknown[]) => void;
  /** Evaluates all experiments again, as on page load. */
  reInit(): void;
  /** Activates an experiment, given by its id or `api_name`, on those of its pages that use manual activation. */
  activate(experiment: number | string): void;
  getTools(): PageTools;
  /** The client key of the project that runs on the page. */
  readonly clientKey: string;
  /** Null if the visitor must not or cannot be recognised, for example without consent or without storage. */
  getVisitorId(): string | null;
  /** Sets the visitor's id. Has no effect once a different id is in use. */
  setVisitorId(visitorId: string | number): void;
}

/** Executes calls to `window.gosset`. */
export interface Servant {
  push(commands: unknown[]): void;
  reInit(): void;
  activate(experiment: unknown): void;
  visitorId(): string | null;
}

export const publicInterface = (servant: Servant, { clientKey }: Pick<SnippetConfig, 'clientKey'>): Gosset =>
  Object.freeze({
    push: guarded((...commands: unknown[]) => servant.push(commands)),
    reInit: guarded(() => servant.reInit()),
    activate: guarded((experiment: unknown) => servant.activate(experiment)),
    getTools: pageTools,
    clientKey,
    getVisitorId: () => servant.visitorId(),
    setVisitorId: guarded((visitorId: unknown) => servant.push([{ eventType: 'setVisitorId', visitorId }])),
  });
