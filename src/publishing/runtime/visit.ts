import type { AgentReader } from './attributes';
import type { SnippetConfig } from './config';
import type { Delivery } from './delivery';
import type { EventQueue } from './event-queue';
import { Experiments } from './experiments';
import { Exposures } from './exposures';
import { Goals } from './goals';
import { Messages } from './messages';
import { PageWishes, Participation } from './participation';
import type { UserCode } from './user-code';
import { Visitor } from './visitor';
import type { VisitorStores } from './visitor-stores';

/** What there is whether or not the visitor may be recognised. */
export interface Surroundings {
  config: SnippetConfig;
  readAgent: AgentReader;
  stores: VisitorStores;
  queue: EventQueue;
  delivery: Delivery;
  code: UserCode;
  wishes: PageWishes;
}

/** A page that is looked at by a visitor whom we may recognise. */
export class Visit {
  readonly messages: Messages;
  readonly experiments: Experiments;
  readonly goals: Goals;
  private readonly exposures: Exposures;
  readonly visitor: Visitor;

  constructor(private readonly surroundings: Surroundings) {
    const { config, readAgent, stores, queue, delivery, code, wishes } = surroundings;
    this.visitor = new Visitor(stores, wishes.visitorId);
    this.messages = new Messages(this.visitor, queue, delivery);
    this.exposures = new Exposures(this.messages, config.pushTo);
    const participation = new Participation(config, wishes, this.visitor, this.exposures, code, readAgent);
    this.experiments = new Experiments(config.experiments, participation, code);
    this.goals = new Goals(config, this.messages);
  }

  /** The page has been loaded, or the visitor has come back to it. */
  load(): void {
    this.experiments.load();
    // After the exposures, so that seeing the page counts for what is shown on it.
    this.goals.pageView();
    this.surroundings.delivery.sendSoon();
  }

  routeChanged(): void {
    this.goals.routeChanged();
    this.experiments.routeChanged();
  }

  /** The visitor has taken consent back: nothing is shown, sent or stored any more. */
  end(): void {
    this.messages.end();
    this.exposures.end();
    this.visitor.forget();
    this.experiments.end();
  }
}
