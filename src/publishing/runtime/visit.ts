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
import { whenSeen } from './page-events';
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
  /** Called when the visitor has withdrawn consent on a different subdomain. */
  onForgotten: () => void;
  /** Shows the page if it is hidden until its experiments are shown. */
  showPage: () => void;
}

/** The longest time that messages wait for exposures, in milliseconds. */
const LONGEST_WAIT_MS = 2_000;

/** A page view by a visitor who may be recognised. */
export class Visit {
  readonly messages: Messages;
  readonly experiments: Experiments;
  readonly goals: Goals;
  private readonly exposures: Exposures;
  private readonly participation: Participation;
  readonly visitor: Visitor;
  /** Functions that send the page views and conversions that are waiting for the exposures on their page. */
  private readonly unsent: (() => void)[] = [];
  /** How many of these belong to routes that the code of an experiment has left. */
  private overdue = 0;
  private unsentTimer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the visitor has left the page. Messages do not wait then, because the page may end at any time. */
  private isLeft = false;

  constructor(private readonly surroundings: Surroundings) {
    const { config, stores, queue, delivery, code, wishes, onForgotten } = surroundings;
    this.visitor = new Visitor(stores, wishes.visitorId, onForgotten);
    if (this.visitor.isUnknown) {
      delivery.clear();
    }
    this.messages = new Messages(this.visitor, queue, delivery);
    this.exposures = new Exposures(this.messages, config.pushTo);
    this.participation = new Participation(surroundings, this.visitor, this.exposures);
    this.experiments = new Experiments(
      config.experiments,
      this.participation,
      code,
      // The exposures of the next experiments belong to the route that the code has set.
      () => this.overdue > 0 && this.seen(this.overdue),
      () => this.evaluated(),
    );
    this.goals = new Goals(config, (goal) => this.conversion(goal));
  }

  /** Whether an experiment on this page waits for a response with the visitor's country. */
  get isWaitingForCountry(): boolean {
    return this.participation.isWaitingForCountry;
  }

  /** Called when the page has loaded or has been restored from the back/forward cache. */
  load(): void {
    this.isLeft = false;
    this.askCountry();
    // The URL is read first, because the code of an experiment may change it.
    this.addView(this.goals.pageView());
    this.experiments.load();
    this.surroundings.delivery.sendSoon();
  }

  routeChanged(isRoute: boolean): void {
    if (isRoute) {
      if (this.experiments.isEvaluating) {
        // The exposure of the experiment whose code is running comes first.
        this.overdue = this.unsent.length;
      } else {
        this.seen();
      }
      this.askCountry();
    }
    this.addView(this.goals.routeChanged());
    this.experiments.routeChanged(isRoute);
    this.sendWaiting();
  }

  /** Called when the page has set attributes. It may have taken back the country. */
  attributesChanged(): void {
    this.askCountry();
    this.experiments.evaluate();
  }

  /** Reports a conversion. It is attributed to the variations that the visitor is about to see on this page, too. */
  conversion(goal: string, value?: unknown): void {
    this.unsent.push(() => this.messages.conversion(goal, value));
    this.sendWaiting();
  }

  /** Called when the visitor leaves the page, or returns to it. */
  setLeft(isLeft: boolean): void {
    this.isLeft = isLeft;
    if (isLeft) {
      this.seen();
      this.surroundings.delivery.sendNow();
    }
  }

  /** Sends the waiting messages: by default all, otherwise this many of the oldest. */
  private seen(count = Infinity): void {
    clearTimeout(this.unsentTimer);
    this.unsentTimer = undefined;
    this.overdue = 0;
    this.unsent.splice(0, count).forEach(whenSeen);
  }

  private addView(url: string | undefined): void {
    if (url !== undefined) {
      this.unsent.push(() => this.messages.pageView(url));
    }
  }

  /**
   * Sends the waiting messages, unless exposures on their page are still to come. Messages count only for exposures
   * that precede them.
   */
  private sendWaiting(): void {
    if (this.experiments.isEvaluating) {
      // The evaluation calls this method when it is over.
      return;
    }
    if (!this.isLeft && (this.experiments.isPending() || this.isWaitingForCountry)) {
      this.unsentTimer ??= setTimeout(() => this.seen(), LONGEST_WAIT_MS);
    } else {
      this.seen();
    }
  }

  private evaluated(): void {
    if (!this.isWaitingForCountry) {
      this.surroundings.showPage();
    }
    this.sendWaiting();
  }

  private askCountry(): void {
    const { country, wishes } = this.surroundings;
    if (!(ATTRIBUTES.country in wishes.attributes)) {
      country.ask(() => this.experiments.evaluate());
    }
  }

  /** Called when the visitor withdraws consent. From then on, nothing is shown, sent or stored. */
  end(): void {
    this.messages.end();
    this.exposures.end();
    this.visitor.end();
    this.participation.isWaitingForCountry = false;
    this.experiments.end();
  }
}
