/** Sorts texts by their UTF-16 units, as databases sort ASCII ids. */
export const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
