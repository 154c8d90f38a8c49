import { DARK, LIGHT } from '../styles/palette';

type Colour = keyof typeof LIGHT;

const VARIABLE = /var\(--([\w-]+)\)/g;

const isColour = (name: string): name is Colour => Object.hasOwn(LIGHT, name);

/**
 * The markup of an image with its colours in the place of the style sheet's properties, so that it can be shown where
 * there is no style sheet, and by programs that know nothing of properties.
 */
export const withPlainColours = (markup: string): string =>
  markup
    .replace(VARIABLE, (text, name: string) => (isColour(name) ? LIGHT[name] : text))
    .replaceAll('currentColor', LIGHT.muted);

/** The style sheet that turns those colours into the dark ones, for readers who prefer these. */
export function darkStyle(colours: readonly Colour[]): string {
  const rules = colours.flatMap((name) =>
    ['fill', 'stroke'].map((property) => `[${property}="${LIGHT[name]}"]{${property}:${DARK[name]}}`),
  );
  return `@media (prefers-color-scheme:dark){${rules.join('')}}`;
}
