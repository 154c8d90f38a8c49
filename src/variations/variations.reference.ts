import { changeTexts, createText, readTexts } from '../common/openapi/resource-texts';

const VARIATION = { id: 'Variation', one: 'a variation', many: 'the variations of an experiment' };

/** What the reference says about variations. */
export const VARIATION_TEXTS = {
  ...readTexts(
    VARIATION,
    `A variation is one of the versions that visitors are shown: usually the page as it is (the original), and others that
\`css\` and \`js\` change. \`preview_url\` shows it to whoever has that address, uncounted.`,
  ),
  create: createText(
    VARIATION,
    `Adds a variation to an experiment. The first one is the original, with which the others are compared, until another
is made it. Shares that are null divide what the others leave; together they may have at most 100 percent.`,
  ),
  ...changeTexts(VARIATION, {
    update: `In a running experiment it goes live when the project is published. Visitors keep the variation that they
have: another share is for those who come. The id never changes. \`is_original: true\` makes it the original instead of the one that was.`,
    remove: `Refused with 422 when the experiment has participants already, when it is the original while there are others, or
the last variation of a running experiment.`,
  }),
};
