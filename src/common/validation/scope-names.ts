/**
 * The names that a scope declares. Replaces the array in which the parser searches for each new name, so the time to
 * parse a script grows with its length instead of the square of its length.
 */
export class ScopeNames {
  /** The first name. */
  0?: string;

  private readonly names = new Set<string>();

  push(name: string): void {
    this[0] ??= name;
    this.names.add(name);
  }

  /** 0 for a declared name, otherwise -1. The parser only needs to know whether the name is declared. */
  indexOf(name: string): number {
    return this.names.has(name) ? 0 : -1;
  }
}
