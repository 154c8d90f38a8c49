const RANGE = /^\s*([\w*+.-]+)\/([\w*+.-]+)\s*(?:;(.*))?$/;

interface Preference {
  /** From 0 to 1. */
  quality: number;
  /** How closely the entry of the `Accept` header names the type that it is about. */
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

/** Does a client prefer JSON to a page? Of two that it wants as much it is the one that it names; otherwise the page. */
export function prefersJson(accept: string | undefined): boolean {
  const header = (accept ?? '*/*').toLowerCase();
  const [json, page] = [preference(header, 'application', 'json'), preference(header, 'text', 'html')];
  return json.quality === page.quality ? json.closeness > page.closeness : json.quality > page.quality;
}
