import { ATTRIBUTES } from '../attribute-names';
import type { AgentReader } from './attributes';
import type { SnippetConfig } from './config';
import type { CountrySource } from './country';
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

/** The parts of the snippet that do not depend on whether the visitor may be recognised. */
export interface Surroundings {
  config: SnippetConfig;
  readAgent: AgentReader;
  country: CountrySource;
  stores: VisitorStores;
  queue: EventQueue;
  delivery: Delivery;
  code: UserCode;
  wishes: PageWishes;
}

/** A page view by a visitor who may be recognised. */
export class Visit {
  readonly messages: Messages;
  readonly experiments: Experiments;
  readonly goals: Goals;
  private readonly exposures: Exposures;
  readonly visitor: Visitor;
  /** Functions that send the page views for route changes. Each page view waits for the exposures on its page. */
  private views: (() => void)[] = [];

  constructor(private readonly surroundings: Surroundings) {
    const { config, stores, queue, delivery, code, wishes } = surroundings;
    this.visitor = new Visitor(stores, wishes.visitorId);
    this.messages = new Messages(this.visitor, queue, delivery);
    this.exposures = new Exposures(this.messages, config.pushTo);
    const participation = new Participation(surroundings, this.visitor, this.exposures);
    this.experiments = new Experiments(config.experiments, participation, code, () => this.takeViews());
    this.goals = new Goals(config, this.messages);
  }

  /** Called when the page has loaded or has been restored from the back/forward cache. */
  load(): void {
    const { country, wishes } = this.surroundings;
    if (!(ATTRIBUTES.country in wishes.attributes)) {
      country.ask(() => this.experiments.evaluate());
    }
    // The URL is read first, because the code of an experiment may change it.
    const sendView = this.goals.pageView();
    this.experiments.load();
    // Sent after the exposures, so the page view is attributed to the variations shown on the page.
    sendView?.();
    this.surroundings.delivery.sendSoon();
  }

  routeChanged(isRoute: boolean): void {
    this.seen();
    const sendView = this.goals.routeChanged();
    if (sendView !== undefined) {
      this.views.push(sendView);
    }
    this.experiments.routeChanged(isRoute);
  }

  /**
   * Sends the waiting page views for route changes. Called if, before any exposure has occurred, the route changes
   * again or the visitor leaves.
   */
  seen(): void {
    this.takeViews()();
  }

  private takeViews(): () => void {
    const { views } = this;
    this.views = [];
    return () => views.forEach((sendView) => sendView());
  }

  /** Called when the visitor withdraws consent. From then on, nothing is shown, sent or stored. */
  end(): void {
    this.messages.end();
    this.exposures.end();
    this.visitor.end();
    this.experiments.end();
  }
}
