import { changeTexts, createText, readTexts } from '../../common/openapi/resource-texts';
import { MAX_VARIATIONS } from './variation.dto';

const VARIATION = { id: 'Variation', one: 'a variation', many: 'the variations of an experiment' };

/** Reference texts of variations. */
export const VARIATION_TEXTS = {
  ...readTexts(
    VARIATION,
    `A variation is one of the versions that visitors see: usually the unchanged page (the original), and others changed by
\`css\` and \`js\`. Anyone with the \`preview_url\` can see the variation without being counted.`,
  ),
  create: createText(
    VARIATION,
    `Adds a variation to an experiment. The first variation is the original until you choose another one; the others are
compared with it. Variations with a null share divide the remaining traffic equally. The shares may add up to at most
100 percent. An experiment can have up to ${MAX_VARIATIONS} variations.`,
  ),
  ...changeTexts(VARIATION, {
    update: `In a running experiment, the change goes live when the project is published. Visitors keep their variation: a new
share applies to new visitors only. The id never changes. \`is_original: true\` makes this variation the original instead of the
current one, until the experiment is started.`,
    remove: `Rejected with 422 if the experiment already has participants, if the variation is the original and there are others,
or if it is the last variation of a running experiment.`,
  }),
};
