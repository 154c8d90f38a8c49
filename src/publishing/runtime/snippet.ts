import { isVisitorId } from '../../events/visitor-id';
import type { Attributes } from '../evaluation';
import type { AgentReader } from './attributes';
import type { SnippetConfig, SnippetExperiment } from './config';
import type { CountrySource } from './country';
import { Delivery } from './delivery';
import { EventQueue } from './event-queue';
import { guarded, warn } from './guard';
import { memoised } from './memo';
import { watchRoutes } from './page-events';
import type { Servant } from './public-interface';
import { hidePage } from './style-sheets';
import { UserCode } from './user-code';
import { Surroundings, Visit } from './visit';
import { VisitorStores } from './visitor-stores';

/** Attributes of the script tag. */
const CONSENT = 'data-consent';
const ANTI_FLICKER = 'data-anti-flicker';
const VISITOR_ID = 'A visitor id has 1 to 64 printable ASCII characters.';

/** Shows experiments and reports visits while the visitor consents. */
export class Snippet implements Servant {
  private readonly surroundings: Surroundings;
  /** Ids of the experiments for which `activate` has been called, including calls before consent. */
  private readonly activations: number[] = [];
  private begun: Visit | null = null;

  constructor(
    private readonly config: SnippetConfig,
    readAgent: AgentReader,
    country: CountrySource,
  ) {
    const { host, clientKey, build } = config;
    const queue = new EventQueue(`gosset.${clientKey}.event.`);
    this.surroundings = {
      config,
      readAgent: memoised(readAgent),
      country,
      stores: new VisitorStores(config),
      queue,
      delivery: new Delivery(queue, host, clientKey, () => this.visit?.messages),
      code: new UserCode(build, (properties) => this.visit?.messages.error(properties)),
      wishes: { visitorId: null, attributes: {}, forced: new Map() },
      onForgotten: () => this.setConsent(false),
      showPage: () => undefined,
    };
  }

  /**
   * @param pushed the commands that were pushed before the script loaded
   * @param tags the script tags whose attributes apply
   */
  begin(pushed: unknown[], tags: Element[]): void {
    const commands = pushed.filter(isUnderstood);
    const consents = commands.map(consentOf).filter((consent) => consent !== null);
    const isAllowed = consents.pop() ?? !tags.some((tag) => tag.getAttribute(CONSENT) === 'required');
    if (isRefusedByBrowser()) {
      this.forget();
      return;
    }
    this.listen();
    const hiding = tags.find((tag) => isAllowed && tag.hasAttribute(ANTI_FLICKER));
    this.surroundings.showPage = hidePage(hiding?.getAttribute(ANTI_FLICKER) ?? null);
    try {
      const isConversion = ({ eventType }: Command): boolean => eventType === 'custom';
      commands.filter((command) => !isConversion(command)).forEach((command) => this.obey(command));
      this.begun = isAllowed ? new Visit(this.surroundings) : null;
      this.begun?.load();
      // Runs after the experiments are shown, so that conversions are attributed to the variations shown.
      commands.filter(isConversion).forEach((command) => this.obey(command));
    } finally {
      if (this.begun?.isWaitingForCountry !== true) {
        this.surroundings.showPage();
      }
    }
  }

  push(pushed: unknown[]): void {
    for (const command of pushed.filter(isUnderstood)) {
      const consent = consentOf(command);
      if (consent === null) {
        this.obey(command);
      } else {
        this.setConsent(consent);
      }
    }
  }

  reInit(): void {
    this.visit?.experiments.reload();
  }

  visitorId(): string | null {
    const visitor = this.visit?.visitor;
    return visitor?.isRemembered === true ? visitor.id : null;
  }

  activate(name: unknown): void {
    const experiment = this.find(name);
    if (experiment !== undefined) {
      this.activations.push(experiment.id);
      this.visit?.experiments.activate(experiment.id);
    }
  }

  /** The visit on this page, unless the visitor has withdrawn consent on a different subdomain in the meantime. */
  private get visit(): Visit | null {
    this.begun?.visitor.check();
    return this.begun;
  }

  private obey(command: Command): void {
    const { wishes } = this.surroundings;
    if (command.eventType === 'custom') {
      this.visit?.conversion(command.eventName, command.eventValue);
    } else if (command.eventType === 'setAttributes') {
      wishes.attributes = withoutUndefined({ ...wishes.attributes, ...command.attributes });
      this.visit?.attributesChanged();
    } else if (command.eventType === 'forceVariation') {
      const experiment = this.find(command.experimentId);
      const variation = experiment?.variations.find(({ id }) => id === Number(command.variationId));
      if (experiment === undefined || variation === undefined) {
        warn('there is no such variation.', command);
        return;
      }
      wishes.forced.set(experiment.id, variation);
      this.visit?.experiments.replace(experiment.id, variation);
    } else if (command.eventType === 'setVisitorId') {
      this.setVisitorId(String(command.visitorId));
    }
  }

  private setVisitorId(id: string): void {
    const { visit } = this;
    const couldTakePart = visit?.visitor.isRemembered;
    if (visit?.visitor.become(id) ?? true) {
      this.surroundings.wishes.visitorId = id;
      if (couldTakePart === false) {
        visit?.attributesChanged();
      }
    } else {
      warn('the visitor already has another id in use. Set the id before the script loads.', id);
    }
  }

  private setConsent(isGiven: boolean): void {
    if (isGiven && this.visit === null && !isRefusedByBrowser()) {
      const visit = new Visit(this.surroundings);
      this.begun = visit;
      visit.load();
      this.activations.forEach((experiment) => visit.experiments.activate(experiment));
    } else if (!isGiven) {
      // This is also needed without a visit, because an earlier page may have had consent while this page is still
      // waiting for it.
      this.forget();
    }
  }

  /** Ends the visit, and removes all data stored about the visitor. */
  private forget(): void {
    const { delivery, stores } = this.surroundings;
    this.endVisit();
    delivery.clear();
    stores.clear();
  }

  /**
   * Ends the visit on this page. Does not delete data that pages share, because the visitor may have consented again on
   * a different page.
   */
  private endVisit(): void {
    this.begun?.end();
    this.begun = null;
    this.surroundings.country.forget();
  }

  /** Ends the visit. If the visitor has got another id, begins the visit with that id. */
  private restart(): void {
    this.endVisit();
    if (this.surroundings.stores.read(Date.now()) !== null) {
      this.setConsent(true);
    }
  }

  private find(name: unknown): SnippetExperiment | undefined {
    const text = String(name);
    const experiment = this.config.experiments.find(
      ({ id, apiName }) => String(id) === text || apiName === text,
    );
    if (experiment === undefined) {
      warn(`no experiment ${text} is running.`);
    }
    return experiment;
  }

  private listen(): void {
    const { delivery, stores } = this.surroundings;
    const on = (target: EventTarget, type: string, react: (visit: Visit, event: Event) => void): void => {
      const listener = guarded((event: Event) => {
        const { visit } = this;
        if (visit !== null) {
          react(visit, event);
        }
      });
      target.addEventListener(type, listener, true);
    };
    watchRoutes((isRoute) => this.visit?.routeChanged(isRoute));
    on(window, 'click', ({ goals }, event) => goals.click(event));
    on(window, 'pagehide', (visit) => visit.setLeft(true));
    on(window, 'online', () => delivery.retryNow());
    on(document, 'visibilitychange', (visit) => visit.setLeft(document.visibilityState === 'hidden'));
    on(window, 'pageshow', (visit, event) => {
      if (!(event as PageTransitionEvent).persisted) {
        return;
      }
      if (visit.visitor.isReplaced) {
        this.restart();
      } else {
        visit.load();
      }
    });
    on(window, 'storage', (visit, event) => {
      const [cleared, { since }] = [stores.clearedAt(event as StorageEvent), visit.visitor];
      // A page that the visitor goes back to gets the events from before the visitor consented again. If the clock has
      // been set back, the record's time is useless.
      if (since < cleared || (cleared > 0 && since > Date.now())) {
        this.endVisit();
      }
    });
  }
}

/** Without the attributes that the page has no value for, so that they do not hide detected attributes. */
const withoutUndefined = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

const isAboutVisitorId = (pushed: unknown): boolean =>
  (Object(pushed) as { eventType?: unknown }).eventType === 'setVisitorId';

function isUnderstood(pushed: unknown): pushed is Command {
  const isOurs = isCommand(pushed);
  if (!isOurs) {
    warn('an invalid command was pushed:', pushed, ...(isAboutVisitorId(pushed) ? [VISITOR_ID] : []));
  }
  return isOurs;
}

/** The commands that pages push to `window.gosset`. */
export type Command =
  | { eventType: 'custom'; eventName: string; eventValue?: number | string }
  | { eventType: 'forceVariation'; experimentId: number | string; variationId: number | string }
  | { eventType: 'setAttributes'; attributes: Attributes }
  | { eventType: 'setVisitorId'; visitorId: string | number }
  | { eventType: 'enableTrackingConsent' }
  | { eventType: 'disableTrackingConsent' };

const MAX_TEXT_LENGTH = 255;

const isText = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TEXT_LENGTH;
/** Visitor ids can also be whole numbers, because the server accepts them and converts them to text. */
const isVisitor = (value: unknown): boolean =>
  (typeof value === 'string' || Number.isSafeInteger(value)) && isVisitorId(String(value));
const isId = (value: unknown): boolean => /^\d+$/.test(String(value));

const CHECKS = new Map<unknown, (fields: Record<string, unknown>) => boolean>([
  [
    'custom',
    ({ eventName, eventValue }) =>
      isText(eventName) && (eventValue == null || Number.isFinite(eventValue) || isText(eventValue)),
  ],
  ['forceVariation', ({ experimentId, variationId }) => isId(experimentId) && isId(variationId)],
  ['setAttributes', ({ attributes }) => typeof attributes === 'object' && attributes !== null],
  ['setVisitorId', ({ visitorId }) => isVisitor(visitorId)],
]);

/** The commands about consent, and whether they give it. */
const CONSENTS = new Map<unknown, boolean>([
  ['enableTrackingConsent', true],
  ['disableTrackingConsent', false],
]);

/** Whether a pushed value is a valid command. */
export function isCommand(pushed: unknown): pushed is Command {
  const fields = Object(pushed) as Record<string, unknown>;
  return CHECKS.get(fields.eventType)?.(fields) ?? CONSENTS.has(fields.eventType);
}

/** Whether the visitor's browser refuses tracking on all sites (Global Privacy Control). Pages cannot override this. */
const isRefusedByBrowser = (): boolean =>
  (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true;

/** True if a command gives consent, false if it withdraws consent, and null for all other commands. */
const consentOf = ({ eventType }: Command): boolean | null => CONSENTS.get(eventType) ?? null;
