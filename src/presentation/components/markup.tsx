import { jsxTemplate } from 'preact/jsx-runtime';

/** Rendered markup, inserted without an element around it. */
export const Markup = ({ html }: { html: string }) => jsxTemplate([html]);
