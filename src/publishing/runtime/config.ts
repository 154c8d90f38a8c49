import type { PushTarget } from '../../projects/settings/push-targets';
import type { Rule } from '../evaluation';

/*
 * The configuration of the snippet. The compiler writes it as a JavaScript literal in which user code appears as
 * functions.
 */

/** A piece of user code, which is called with `window` as `this`. */
export type Code = () => unknown;

/**
 * The sources of regular expressions. Each expression is tested against the whole normalized URL (`new
 * URL(address).href`).
 */
export interface AddressPatterns {
  /** At least one of these must match. If both lists are empty, every URL matches. */
  wanted: string[];
  /** None of these may match. */
  unwanted: string[];
}

export interface SnippetPage extends AddressPatterns {
  activation: 'immediate' | 'manual' | 'dom_change' | 'url_change';
}

export interface SnippetVariation {
  id: number;
  /** The name of the variation to use when exposures are announced on the page. */
  apiName?: string;
  css?: string;
  js?: Code;
}

export interface SnippetExperiment {
  id: number;
  apiName: string;
  phase?: number;
  /** `api_name`s. The experiment runs if the code of at least one of these environments returns true. */
  environments: string[];
  /** Present if any of the experiment's audiences has a condition on the country. */
  asksCountry?: true;
  pages: SnippetPage[];
  rule: Rule;
  css?: string;
  js?: Code;
  resetJs?: Code;
  variations: SnippetVariation[];
}

export interface SnippetGoal {
  /** The `event` of conversions for this goal. */
  apiName: string;
  /** The CSS selector list of a click goal; absent for other types of goals. */
  selector?: string;
}

export interface SnippetConfig {
  /** Public URL of the server, without a trailing slash. */
  host: string;
  clientKey: string;
  /** Identifies the publication in error reports, in hexadecimal. */
  build: string;
  storage: 'localStorage' | 'cookie';
  /** Where exposures are announced on the page, if anywhere. */
  pushTo?: PushTarget[];
  /** The code of each environment by its `api_name`. */
  environments: Record<string, Code>;
  /**
   * Conditions written in JavaScript. The result of the condition at index i becomes the attribute with this index in
   * `ATTRIBUTES.javascript`.
   */
  conditions: Code[];
  experiments: SnippetExperiment[];
  clickGoals: SnippetGoal[];
  /** The pages of all pageview goals. If a URL matches any of these pages, the URL is sent as a `page` message. */
  viewedPages: AddressPatterns[];
  /**
   * Present only in the script for a preview link: the variation that every visitor sees, without tracking.
   */
  preview?: { variation: number };
}
