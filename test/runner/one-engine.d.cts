export const ON_ONE_ENGINE: readonly string[];
