/** Tells the developers of the page that something was asked of us that we cannot do. */
export const warn = (text: string, ...details: unknown[]): void =>
  console.warn(`gosset: ${text}`, ...details);

/** The same function, except that what goes wrong in it is never the page's trouble. */
export function guarded<A extends unknown[], R>(callback: (...args: A) => R): (...args: A) => R | undefined {
  return (...args) => {
    try {
      return callback(...args);
    } catch (error) {
      console.error('gosset:', error);
      return undefined;
    }
  };
}
