const RANGE = /^\s*([\w*+.-]+)\/([\w*+.-]+)\s*(?:;(.*))?$/;

interface Preference {
  /** From 0 to 1. */
  quality: number;
  /** The specificity of the matching `Accept` entry: from 0 (any type) to 2 (the exact type); -1 without a match. */
  closeness: number;
}

function preference(accept: string, type: string, subtype: string): Preference {
  let best: Preference = { closeness: -1, quality: 0 };
  for (const entry of accept.split(',')) {
    const [, major, minor, parameters = ''] = RANGE.exec(entry) ?? [];
    const isMatch = (major === type || major === '*') && (minor === subtype || minor === '*');
    const closeness = Number(major === type) + Number(minor === subtype);
    if (isMatch && closeness > best.closeness) {
      const quality = Number(/(?:^|;)\s*q=([\d.]+)/.exec(parameters)?.[1] ?? 1);
      best = { closeness, quality };
    }
  }
  return best;
}

/** The `closeness` of an `Accept` entry that names the exact type. */
const NAMED = 2;

/** Whether a client names the given `application` type and does not prefer JSON to it. */
export function prefersNamed(accept: string | undefined, subtype: string): boolean {
  const header = (accept ?? '').toLowerCase();
  const named = preference(header, 'application', subtype);
  return (
    named.closeness === NAMED &&
    named.quality > 0 &&
    named.quality >= preference(header, 'application', 'json').quality
  );
}

/**
 * Whether a client prefers JSON to HTML. If the weights are equal, the type that is named more explicitly wins; if
 * neither is, HTML wins.
 */
export function prefersJson(accept: string | undefined): boolean {
  const header = (accept ?? '*/*').toLowerCase();
  const [json, page] = [preference(header, 'application', 'json'), preference(header, 'text', 'html')];
  return json.quality === page.quality ? json.closeness > page.closeness : json.quality > page.quality;
}

const NAMES_PAGES = /\btext\/html\b/i;

/** Whether an Accept header names HTML and does not prefer JSON, as browsers do when they load a page. */
export const prefersPage = (accept = ''): boolean => NAMES_PAGES.test(accept) && !prefersJson(accept);
