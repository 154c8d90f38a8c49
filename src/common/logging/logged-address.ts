const MAX_LENGTH = 2_000;

/** What in an address opens something to whoever reads it: secrets, which have no place in a log. */
const SECRETS: readonly [pattern: RegExp, replacement: string][] = [
  // Whoever has a share address sees the results, also where it is the address to go on to.
  [/((?:^|\/|%2F)share(?:\/|%2F))[^/?#&%]+/gi, '$1[token]'],
  // Whoever has the address of a preview sees what is not live.
  [/(\/preview\/)[^/?#]+/g, '$1[token]'],
  [/([?&](?:gosset_preview|[\w-]*(?:token|password|secret|authorization))=)[^&#]*/gi, '$1[secret]'],
  [/gos_\w+/g, 'gos_[token]'],
];

/** An address as it may be written to the log, where it is no longer than anybody reads. */
export function loggedAddress(url: string): string {
  const told = SECRETS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), url);
  return told.length > MAX_LENGTH ? `${told.slice(0, MAX_LENGTH)}…` : told;
}
