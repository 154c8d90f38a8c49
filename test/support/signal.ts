export interface Signal {
  given: Promise<void>;
  give: () => void;
}

/** A promise, and the function that resolves it. */
export function signal(): Signal {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give };
}
