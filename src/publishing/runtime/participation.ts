import { ATTRIBUTES } from '../attribute-names';
import { assign, subjectOf } from '../evaluation';
import type { Attributes } from '../evaluation';
import { AgentReader, attributesOf } from './attributes';
import type { SnippetConfig, SnippetExperiment, SnippetVariation } from './config';
import type { CountrySource } from './country';
import type { Exposures } from './exposures';
import { memoised } from './memo';
import { whenSeen } from './page-events';
import type { UserCode } from './user-code';
import type { Visitor } from './visitor';

/** The decision for a visitor: a variation, no variation, or no variation until something changes. */
export type Decision = SnippetVariation | 'never' | 'not yet';

export interface Decider {
  /** Begins an evaluation of all experiments. Within it, every condition and attribute is computed at most once. */
  begin(): (experiment: SnippetExperiment) => Decision;
  /** Called when the visitor sees a variation, not while the page is being prerendered. */
  shown(experiment: SnippetExperiment, variation: SnippetVariation): void;
  /** Ends the evaluation. */
  end(): void;
}

/** The settings that the page makes by calling `window.gosset`. They apply with or without consent. */
export interface PageWishes {
  /** The visitor's id; null to use the snippet's own id. */
  visitorId: string | null;
  attributes: Attributes;
  /** The forced variations by experiment id. */
  forced: Map<number, SnippetVariation>;
}

/** Data for decisions that does not depend on the visitor. */
interface PageFacts {
  config: SnippetConfig;
  wishes: PageWishes;
  code: UserCode;
  readAgent: AgentReader;
  country: CountrySource;
}

/** Decides by environments, audiences and traffic, keeps earlier assignments, and records exposures. */
export class Participation implements Decider {
  /** Whether an experiment on this page waits for a response with the visitor's country. */
  isWaitingForCountry = false;

  constructor(
    private readonly page: PageFacts,
    private readonly visitor: Visitor,
    private readonly exposures: Exposures,
  ) {}

  begin(): (experiment: SnippetExperiment) => Decision {
    const { config, wishes, code: userCode, readAgent, country } = this.page;
    const { environments, conditions } = config;
    const isThere = memoised((environment: string) => {
      const code = environments[environment];
      return code !== undefined && Boolean(userCode.run({ where: 'environment', environment }, code));
    });
    let asking = 0;
    let hasFailed = false;
    const outcome = memoised((index: number) => {
      const piece = { where: 'condition', index, experiment: asking } as const;
      return userCode.run(piece, () => ({ holds: Boolean(conditions[index].call(window)) })) as
        { holds: boolean } | undefined;
    });
    const holds = (index: number): boolean => {
      const found = outcome(index);
      hasFailed ||= found === undefined;
      return found?.holds ?? false;
    };
    const attributes = memoised(() =>
      attributesOf(wishes.attributes, this.visitor.isNew, { readAgent, country: country.known() }, holds),
    );
    this.visitor.refresh();
    this.isWaitingForCountry = false;
    return (experiment) => {
      [asking, hasFailed] = [experiment.id, false];
      return experiment.environments.some(isThere)
        ? this.decide(
            experiment,
            () => attributes(null),
            () => hasFailed,
          )
        : 'not yet';
    };
  }

  shown(experiment: SnippetExperiment, variation: SnippetVariation): void {
    if (!this.page.wishes.forced.has(experiment.id)) {
      // The previous page may have stored more data while this page was being prerendered.
      this.visitor.refresh();
      const phase = this.visitor.expose(experiment.id, variation.id, experiment.phase ?? 1);
      if (phase !== undefined) {
        this.exposures.add(experiment, variation, phase);
      }
    }
  }

  end(): void {
    whenSeen(() => this.visitor.save());
  }

  /**
   * @param hasFailed whether a condition threw an error. In that case, the visitor does not take part, wherever the
   * condition is in the tree.
   */
  private decide(
    { id, phase = 1, rule, variations, asksCountry }: SnippetExperiment,
    attributes: () => Attributes,
    hasFailed: () => boolean,
  ): Decision {
    const forced = this.page.wishes.forced.get(id);
    if (forced !== undefined) {
      return forced;
    }
    if (!this.visitor.isRemembered) {
      return 'not yet';
    }
    const known = rule.condition === undefined ? {} : attributes();
    const { variation, reason } = assign(
      rule,
      subjectOf(this.visitor.id, known),
      this.visitor.kept(id)?.variation,
    );
    const isTooEarly = reason !== 'kept' && asksCountry === true && this.isCountryAwaited();
    this.isWaitingForCountry ||= isTooEarly && this.page.country.isAsking();
    if (reason === 'audience' || isTooEarly || hasFailed()) {
      return 'not yet';
    }
    if (reason === 'assigned') {
      this.visitor.keep(id, { variation, phase, isExposed: false });
    }
    return variations.find((each) => each.id === variation) ?? 'never';
  }

  /**
   * Whether the decision has to wait for the country. Otherwise, a condition with `not` would treat a country that is
   * not known yet as a different country.
   */
  private isCountryAwaited(): boolean {
    const { wishes, country } = this.page;
    return !(ATTRIBUTES.country in wishes.attributes) && country.isAwaited();
  }
}
