import { changeTexts, createText, readTexts } from '../common/openapi/resource-texts';

const PAGE = { id: 'Page', one: 'a page', many: 'the pages of a project' };

/** What the reference says about pages. */
export const PAGE_TEXTS = {
  ...readTexts(
    PAGE,
    `A page says by conditions on the address where an experiment takes place, or what a pageview goal counts; attach it to
experiments through their \`pages\`. It may stand for many addresses.`,
  ),
  create: createText(
    PAGE,
    `Makes a page that experiments and pageview goals can then be given. An experiment needs at least one to start. Regular
expressions that do not compile, or might run for ever, are refused.`,
  ),
  ...changeTexts(PAGE, {
    update: `For running experiments it goes live when the project is published. \`conditions\` are replaced as a whole.`,
    remove: `It is detached from experiments. Refused with 422, which names them, while a running or previewed experiment or a
pageview goal uses it.`,
  }),
};
