import { defineResource } from '../../projects/resources/resource';
import { CreatePage, PageRecord, toPageRecord, UpdatePage } from './page.record';
import { Page } from './page.entity';
import { normalizePageConditions } from './page-conditions';

export const PAGES = defineResource({
  type: 'page',
  collection: 'pages',
  entity: Page,
  record: PageRecord,
  toRecord: toPageRecord,
  texts: {
    chapter: 'Define where experiments run.',
    purpose: `A page is a set of conditions on the URL. It defines where an experiment runs or what a pageview goal counts. Attach it
to experiments through \`pages\`. A page can match many URLs.`,
  },
  writes: {
    create: CreatePage,
    update: UpdatePage,
    newColumns: (fields) => ({
      description: fields.description ?? null,
      conditions: normalizePageConditions(fields.conditions ?? []),
      activation: fields.activation ?? 'immediate',
    }),
    changedColumns: ({ conditions, ...fields }) =>
      conditions === undefined ? fields : { ...fields, conditions: normalizePageConditions(conditions) },
    texts: {
      create: `Creates a page for experiments and pageview goals. An experiment needs at least one page to start. Regular
expressions with syntax errors or unsupported syntax are rejected.`,
      update: `Running experiments change when the project is published. \`conditions\` are replaced as a whole.`,
      remove: `Detaches the page from experiments. Rejected with 422 while running or previewed experiments or pageview goals
use it. The response lists them.`,
    },
  },
});
