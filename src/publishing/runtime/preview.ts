import { PREVIEW_PARAMETER } from '../../experiments/variations/preview-parameter';
import { MAX_COMPARED } from '../../common/limits';
import type { AddressPatterns, SnippetConfig, SnippetExperiment } from './config';
import { Experiments } from './experiments';
import { warn } from './guard';
import { routeAt, watchRoutes } from './page-events';
import { pageTools } from './page-tools';
import type { Decision } from './participation';
import type { Servant } from './public-interface';
import { UserCode } from './user-code';

const TOKEN = /^\d+\.[\w-]+$/;
/** Maximum time between a page and the page to which its variation redirects, in milliseconds. */
const REDIRECTED_MS = 10_000;
const ignore = (): void => undefined;
const nobody = (): null => null;

/** The token of a preview link, `<variation id>.<signature>`; null for other URLs. */
export function previewToken(): string | null {
  const token = new URLSearchParams(location.search).get(PREVIEW_PARAMETER);
  return token !== null && TOKEN.test(token) ? token : null;
}

/**
 * Loads the preview script, which shows the variation and replaces this script.
 * @param pushed the commands that the page has pushed so far; a preview ignores them
 */
export function loadPreview({ host, clientKey }: SnippetConfig, token: string, pushed: unknown[]): void {
  window.gosset = Object.assign(pushed, {
    ...{ reInit: ignore, activate: ignore, getTools: pageTools },
    ...{ getVisitorId: nobody, setVisitorId: ignore },
  });
  const address = `${host}/s/${clientKey}/preview/${token}.js`;
  const failed = (error: unknown): void => warn('the preview could not be loaded.', error);
  try {
    const script = document.createElement('script');
    script.src = trusted(address);
    script.addEventListener('error', failed);
    (document.head ?? document.documentElement).append(script);
  } catch {
    // The page's Content Security Policy rejects the trusted type. An import is allowed without one, but runs the code
    // in strict mode.
    import(address).catch(failed);
  }
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ): { createScriptURL: (address: string) => string };
}

/** The URL as a trusted type, for pages that enforce Trusted Types. */
function trusted(address: string): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('gosset', { createScriptURL: (own) => own });
  return policy?.createScriptURL(address) ?? address;
}

/**
 * Shows one variation to every visitor and reports nothing. The variation is shown on the page that was opened with the
 * link, whichever it is, and on the experiment's pages.
 */
export class Preview implements Servant {
  private readonly shown: Experiments;

  constructor({ experiments, build, clientKey }: SnippetConfig, variationId: number) {
    const opened = isFirstPage(`gosset.${clientKey}.preview.${variationId}`) ? [thisPage()] : [];
    const decide = ({ variations }: SnippetExperiment): Decision =>
      variations.find(({ id }) => id === variationId) ?? 'never';
    const decider = { begin: () => decide, shown: ignore, end: ignore };
    this.shown = new Experiments(
      experiments.map((experiment) => previewed(experiment, opened)),
      decider,
      new UserCode(build, ignore),
      ignore,
      ignore,
    );
  }

  begin(): void {
    watchRoutes((isRoute) => this.shown.routeChanged(isRoute));
    this.shown.load();
  }

  readonly push = ignore;

  reInit(): void {
    this.shown.reload();
  }

  readonly activate = ignore;

  readonly visitorId = nobody;
}

/**
 * Whether this page was opened with the preview link in this tab. If a variation redirects to a URL with the same
 * parameters, that page is a preview, too. If the variation's code ran there, it would redirect again, and so on. A
 * redirect to the same URL differs from a reload by the type of navigation, and from opening the link again by the time.
 */
function isFirstPage(key: string): boolean {
  const url = routeAt(location.href);
  const now = Date.now();
  try {
    const [first, last, at] = (sessionStorage.getItem(key) ?? url).split(' ');
    const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    const isRedirected = last === url && now - Number(at) < REDIRECTED_MS && navigation.type === 'navigate';
    sessionStorage.setItem(key, isRedirected ? first : `${first} ${url} ${now}`);
    return first === url && !isRedirected;
  } catch {
    // Sandboxed pages have no storage.
    return true;
  }
}

/** A page that consists of the current URL. A single-page application may go to other URLs. */
function thisPage(): AddressPatterns {
  const escaped = routeAt(location.href).slice(0, MAX_COMPARED).replace(/\W/g, '\\$&');
  // Any anchor may follow, see `routeAt`.
  return { wanted: [`^${escaped}(?![^#]|#[/!])`], unwanted: [] };
}

/** The experiment, changed so that it also runs in previews of pages with manual activation, and on the opened page. */
function previewed(experiment: SnippetExperiment, opened: AddressPatterns[]): SnippetExperiment {
  const isRedrawn = experiment.pages.some(({ activation }) => activation === 'url_change');
  const activation = isRedrawn ? 'url_change' : 'dom_change';
  const pages = [...experiment.pages, ...opened].map((page) => ({ ...page, activation }) as const);
  return { ...experiment, pages };
}
