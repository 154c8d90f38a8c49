/** Warns the page's developers about an invalid call. */
export const warn = (text: string, ...details: unknown[]): void =>
  console.warn(`gosset: ${text}`, ...details);

/** Wraps a function so that its errors never reach the page. */
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
