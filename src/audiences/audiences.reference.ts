import { changeTexts, createText, readTexts } from '../common/openapi/resource-texts';

const AUDIENCE = { id: 'Audience', one: 'an audience', many: 'the audiences of a project' };

/** What the reference says about audiences. */
export const AUDIENCE_TEXTS = {
  ...readTexts(
    AUDIENCE,
    `An audience says by conditions which visitors may take part; attach it to experiments through their \`audiences\`. An
experiment without audiences is for everyone.`,
  ),
  create: createText(
    AUDIENCE,
    `Makes an audience that experiments can then be given. A wrong condition is refused with its path, such as
\`conditions.2.1.match\`. What only browsers can know (cookies, code) is not true anywhere else, so nobody takes part
through it when a back end decides.`,
  ),
  ...changeTexts(AUDIENCE, {
    update: `For running experiments it goes live when the project is published. Who takes part already, keeps the variation.
\`conditions\` are replaced as a whole.`,
    remove: `It is detached from experiments. Refused with 422, which names them, while a running or previewed experiment uses it:
fewer conditions would let in visitors for whom it was not meant.`,
  }),
};
