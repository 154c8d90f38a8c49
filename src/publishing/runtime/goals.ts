import { addressTest } from './address-patterns';
import type { AddressTest } from './address-patterns';
import type { SnippetConfig } from './config';
import { guarded } from './guard';
import { routeAt } from './page-events';

/** Maximum length of a URL that the server accepts, in characters. */
const MAX_URL_LENGTH = 2_048;

/**
 * Maximum time between a click on a label and the click on its control, in milliseconds. Browsers send both within the
 * same task.
 */
const FORWARDED_MS = 500;

/** The last click: the elements that received it, the `api_name`s of its goals, and its time in milliseconds. */
interface Clicked {
  elements: Element[];
  goals: string[];
  at: number;
}

/** Detects clicks and page views that count towards goals. */
export class Goals {
  private readonly viewed: AddressTest[];
  private currentView = '';
  private clicked: Clicked = { elements: [], goals: [], at: 0 };

  constructor(
    private readonly config: SnippetConfig,
    private readonly convert: (goal: string) => void,
  ) {
    const compiled = config.viewedPages.map(guarded(addressTest));
    this.viewed = compiled.filter((test) => test !== undefined);
  }

  /**
   * Called when a single-page application changes the URL.
   * @returns the URL of the page view; undefined if there is none to send
   */
  routeChanged(): string | undefined {
    return routeAt(location.href) === this.currentView ? undefined : this.pageView();
  }

  /** Called when the page has loaded. @returns as `routeChanged` */
  pageView(): string | undefined {
    const url = location.href;
    this.currentView = routeAt(url);
    return this.viewed.some((test) => test(url)) ? this.shortened(url) : undefined;
  }

  /**
   * The URL. If it is longer than the server accepts, the fragment is removed and, if necessary, also the query.
   * Undefined if a shortened URL would not match the same pages.
   */
  private shortened(url: string): string | undefined {
    return [url, url.replace(/#.*/, ''), url.replace(/[?#].*/, '')].find(
      (shorter) =>
        shorter.length <= MAX_URL_LENGTH && this.viewed.every((test) => test(shorter) === test(url)),
    );
  }

  click(event: Event): void {
    const elements = event.composedPath().filter((target) => target instanceof Element);
    const counted = this.isForwarded(elements[0], event.timeStamp) ? this.clicked.goals : [];
    const goals = this.config.clickGoals
      .filter(({ selector }) => elements.some((element) => isSelected(element, selector)))
      .map(({ apiName }) => apiName);
    goals.filter((goal) => !counted.includes(goal)).forEach((goal) => this.convert(goal));
    this.clicked = { elements, goals, at: event.timeStamp };
  }

  /**
   * Whether the browser caused this click. When a visitor clicks a label, browsers also click its control, but both
   * clicks together count as one.
   */
  private isForwarded(control: Element | undefined, now: number): boolean {
    const { elements, at } = this.clicked;
    return (
      now - at < FORWARDED_MS &&
      !elements.includes(control as Element) &&
      elements.some((label) => (label as HTMLLabelElement).control === control)
    );
  }
}

/** Whether an element matches a selector. A selector that this browser does not support matches nothing. */
function isSelected(element: Element, selector = ''): boolean {
  try {
    return element.matches(selector);
  } catch {
    return false;
  }
}
