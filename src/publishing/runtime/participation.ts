import { assign, subjectOf } from '../evaluation';
import type { Attributes } from '../evaluation';
import { AgentReader, attributesOf } from './attributes';
import type { SnippetConfig, SnippetExperiment, SnippetVariation } from './config';
import type { Exposures } from './exposures';
import { memoised } from './memo';
import type { UserCode } from './user-code';
import { whenSeen } from './visibility';
import type { Visitor } from './visitor';

/** What a visitor sees of an experiment: a variation, nothing, or nothing as long as nothing else changes. */
export type Decision = SnippetVariation | 'never' | 'not yet';

export interface Decider {
  /** Begins a look at all experiments, in which nothing is found out twice. */
  begin(): (experiment: SnippetExperiment) => Decision;
  /** Is told that the visitor sees a variation now. */
  shown(experiment: SnippetExperiment, variation: SnippetVariation): void;
  /** Ends the look. */
  end(): void;
}

/** What the page itself has to say, whether or not there is consent. */
export interface PageWishes {
  /** The visitor's id; null leaves it to us. */
  visitorId: string | null;
  attributes: Attributes;
  /** Variations by the id of their experiment. */
  forced: Map<number, SnippetVariation>;
}

/** Decides by environments, audiences and traffic, keeps what was decided, and records exposures. */
export class Participation implements Decider {
  constructor(
    private readonly config: SnippetConfig,
    private readonly wishes: PageWishes,
    private readonly visitor: Visitor,
    private readonly exposures: Exposures,
    private readonly code: UserCode,
    private readonly readAgent: AgentReader,
  ) {}

  begin(): (experiment: SnippetExperiment) => Decision {
    const { environments, conditions } = this.config;
    const isThere = memoised((environment: string) => {
      const code = environments[environment];
      return code !== undefined && Boolean(this.code.run({ where: 'environment', environment }, code));
    });
    let asking = 0;
    let hasFailed = false;
    const outcome = memoised((index: number) => {
      const piece = { where: 'condition', index, experiment: asking } as const;
      return this.code.run(piece, () => ({ holds: Boolean(conditions[index].call(window)) })) as
        { holds: boolean } | undefined;
    });
    const holds = (index: number): boolean => {
      const found = outcome(index);
      hasFailed ||= found === undefined;
      return found?.holds ?? false;
    };
    const attributes = memoised(() =>
      attributesOf(this.wishes.attributes, this.visitor.isNew, this.readAgent, holds),
    );
    this.visitor.refresh();
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
    if (!this.wishes.forced.has(experiment.id)) {
      whenSeen(() => {
        if (this.visitor.expose(experiment.id)) {
          this.exposures.add(experiment, variation);
        }
      });
    }
  }

  end(): void {
    whenSeen(() => this.visitor.save());
  }

  /** @param hasFailed could a condition not be decided? Then nobody is taken in, whatever it is part of. */
  private decide(
    { id, rule, variations }: SnippetExperiment,
    attributes: () => Attributes,
    hasFailed: () => boolean,
  ): Decision {
    const forced = this.wishes.forced.get(id);
    if (forced !== undefined) {
      return forced;
    }
    const known = rule.condition === undefined ? {} : attributes();
    const { variation, reason } = assign(
      rule,
      subjectOf(this.visitor.id, known),
      this.visitor.keptVariation(id),
    );
    if (reason === 'audience' || hasFailed()) {
      return 'not yet';
    }
    if (reason === 'assigned') {
      this.visitor.keep(id, variation);
    }
    return variations.find((each) => each.id === variation) ?? 'never';
  }
}
