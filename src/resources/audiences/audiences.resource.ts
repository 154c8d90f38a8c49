import { defineResource } from '../../projects/resources/resource';
import { AudienceRecord, CreateAudience, toAudienceRecord, UpdateAudience } from './audience.record';
import { Audience } from './audience.entity';
import { normalizeConditionTree } from './condition-tree';

export const AUDIENCES = defineResource({
  type: 'audience',
  collection: 'audiences',
  entity: Audience,
  record: AudienceRecord,
  toRecord: toAudienceRecord,
  texts: {
    chapter: 'Define which visitors take part.',
    purpose: `The conditions of an audience define which visitors may take part. Attach it to experiments through \`audiences\`.
In an experiment without audiences, every visitor may take part.`,
  },
  writes: {
    create: CreateAudience,
    update: UpdateAudience,
    newColumns: ({ description = null, conditions = null }) => ({
      description,
      conditions: normalizeConditionTree(conditions),
    }),
    changedColumns: ({ conditions, ...fields }) =>
      conditions === undefined ? fields : { ...fields, conditions: normalizeConditionTree(conditions) },
    texts: {
      create: `Creates an audience that you can attach to experiments. The error for an invalid condition contains its path, such as
\`conditions.2.1.match\`. Values of \`browser\` and \`os\` are lower-case names, such as \`chrome\`. Conditions on cookies and code are evaluated in browsers only. Elsewhere, neither such conditions nor a \`not\` around them are met, so a server-side decision excludes visitors who match only because of them. \`visitor\` is known in browsers only, unless the caller sends it as an attribute.`,
      update: `Running experiments change when the project is published. Participants keep their variation.
\`conditions\` are replaced as a whole.`,
      remove: `Detaches the audience from experiments. Rejected with 422 while running or previewed experiments use it, because
deleting it would change which visitors they include. The response lists the experiments.`,
    },
  },
});
