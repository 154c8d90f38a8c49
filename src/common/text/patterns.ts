/** Text as the source of a regular expression that matches exactly it. */
export const escapedPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
