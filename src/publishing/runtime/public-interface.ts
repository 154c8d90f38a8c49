import { guarded } from './guard';
import { PageTools, pageTools } from './page-tools';

/** `window.gosset`; until the script has been loaded an array, in which pages leave what they have to say. */
export interface Gosset {
  /** See `commands.ts` for what can be pushed. */
  push(...commands: unknown[]): void;
  /** Looks at all experiments anew, as on the load of the page. */
  reInit(): void;
  /** Activates an experiment, by its id or `api_name`, on its pages with manual activation. */
  activate(experiment: number | string): void;
  getTools(): PageTools;
  /** Null where the visitor must not be recognised. */
  getVisitorId(): string | null;
  /** Says who the visitor is, before we have used another id. */
  setVisitorId(visitorId: string | number): void;
}

/** Who does what pages ask for. */
export interface Servant {
  push(commands: unknown[]): void;
  reInit(): void;
  activate(experiment: unknown): void;
  visitorId(): string | null;
}

export const publicInterface = (servant: Servant): Gosset =>
  Object.freeze({
    push: guarded((...commands: unknown[]) => servant.push(commands)),
    reInit: guarded(() => servant.reInit()),
    activate: guarded((experiment: unknown) => servant.activate(experiment)),
    getTools: () => pageTools,
    getVisitorId: () => servant.visitorId(),
    setVisitorId: guarded((visitorId: unknown) => servant.push([{ eventType: 'setVisitorId', visitorId }])),
  });
