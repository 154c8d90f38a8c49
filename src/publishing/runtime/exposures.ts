import { EXPOSURE } from '../../events/exposure';
import type { PushTarget } from '../../projects/settings/push-targets';
import type { SnippetExperiment, SnippetVariation } from './config';
import { guarded } from './guard';
import type { Messages } from './messages';

const EVENT = 'experiment_viewed';
const WAIT_MS = 500;
/** Maximum number of waits. Together, they take one minute. */
const MAX_WAITS = 120;

/** The fields that Segment specifies for exposures. Segment's ids are strings. */
interface Viewed {
  experiment_id: string;
  experiment_name: string;
  variation_id: string;
  variation_name: string;
}

/**
 * Globals that belong to other scripts. An HTML element whose id is one of these names also creates a global with that
 * name, so the types cannot be relied on.
 */
interface Page {
  dataLayer?: { push?: unknown };
  gtag?: unknown;
  analytics?: { track?: unknown };
}

/** For each target, the call that announces an exposure: the object, the name of its method, and the arguments. */
const CALLS: Record<PushTarget, (viewed: Viewed, page: Page) => [object, string, ...unknown[]]> = {
  dataLayer: (viewed, page) => [(page.dataLayer ??= [] as unknown[]), 'push', { event: EVENT, ...viewed }],
  gtag: (viewed, page) => [page, 'gtag', 'event', EVENT, viewed],
  analytics: (viewed, page) => [Object(page.analytics) as object, 'track', EXPOSURE, viewed],
};

/** @returns false if the page does not have the method yet */
const announce = guarded((target: PushTarget, viewed: Viewed): boolean => {
  const [owner, name, ...args] = CALLS[target](viewed, window as unknown as Page);
  const isThere = typeof Reflect.get(owner, name) === 'function';
  if (isThere) {
    (owner as Record<string, (...args: unknown[]) => void>)[name](...args);
  }
  return isThere;
});

/** Reports exposures to the server and to the scripts on the page that the project has selected. */
export class Exposures {
  private isOver = false;

  constructor(
    private readonly messages: Messages,
    private readonly targets: readonly PushTarget[] = [],
  ) {}

  add(experiment: SnippetExperiment, variation: SnippetVariation, phase: number): void {
    if (!this.messages.exposure(experiment.id, variation.id, phase)) {
      return;
    }
    const viewed = {
      experiment_id: String(experiment.id),
      experiment_name: experiment.apiName,
      variation_id: String(variation.id),
      variation_name: variation.apiName ?? '',
    };
    this.targets.forEach((target) => this.tell(target, viewed, MAX_WAITS));
  }

  /** Drops announcements that are still waiting. */
  end(): void {
    this.isOver = true;
  }

  /** Announces an exposure. The snippet runs before other scripts, so it waits for methods that do not exist yet. */
  private tell(target: PushTarget, viewed: Viewed, waits: number): void {
    const isMissing = !this.isOver && announce(target, { ...viewed }) === false;
    if (isMissing && waits > 0) {
      setTimeout(() => this.tell(target, viewed, waits - 1), WAIT_MS);
    }
  }
}
