import { addressTest } from './address-patterns';
import type { AddressTest } from './address-patterns';
import type { AddressPatterns, SnippetConfig } from './config';
import { guarded } from './guard';
import type { Messages } from './messages';
import { whenSeen } from './page-events';

/** The server's limit. */
const MAX_URL_LENGTH = 2_048;

/** Detects clicks and page views that count for goals. */
export class Goals {
  private readonly viewed: AddressTest[];
  private view = '';

  constructor(
    private readonly config: SnippetConfig,
    private readonly messages: Messages,
  ) {
    const compiled = config.viewedPages.map(guarded((patterns: AddressPatterns) => addressTest(patterns)));
    this.viewed = compiled.filter((test) => test !== undefined);
  }

  /** The URL of a single-page application has changed. @returns sends the page view; undefined if there is none to send */
  routeChanged(): (() => void) | undefined {
    return viewAt(location.href) === this.view ? undefined : this.pageView();
  }

  /** The page was loaded. @returns as `routeChanged` */
  pageView(): (() => void) | undefined {
    const url = location.href;
    this.view = viewAt(url);
    const sent = this.accepted(url);
    return sent !== undefined && this.viewed.some((test) => test(url))
      ? () => whenSeen(() => this.messages.pageView(sent))
      : undefined;
  }

  /**
   * The URL, shortened to the length that the server accepts if the same pages still match: without the fragment, or
   * also without the query.
   */
  private accepted(url: string): string | undefined {
    return [url, url.replace(/#.*/, ''), url.replace(/[?#].*/, '')].find(
      (shorter) =>
        shorter.length <= MAX_URL_LENGTH && this.viewed.every((test) => test(shorter) === test(url)),
    );
  }

  click(event: Event): void {
    const elements = event.composedPath().filter((target) => target instanceof Element);
    for (const { apiName, selector } of this.config.clickGoals) {
      if (selector !== undefined && elements.some((element) => isSelected(element, selector))) {
        this.messages.conversion(apiName);
      }
    }
  }
}

/** A selector that this browser does not support matches nothing. */
function isSelected(element: Element, selector: string): boolean {
  try {
    return element.matches(selector);
  } catch {
    return false;
  }
}

/** Fragments are anchors within a page, unless a router uses them. */
const viewAt = (address: string): string => address.replace(/#(?![/!]).*$/, '');
