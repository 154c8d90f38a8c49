import { firstValue, type RawQuery } from '../common/lists/list-query';
import { SOON } from './visible-changes';

/** Messages on the page shown after a form is submitted. */
const NOTICES = {
  saved: 'Saved.',
  created: 'Created.',
  projectCreated: 'The project was created. Put its tag on your site, then create an experiment.',
  experimentCreated: 'The experiment was created. It is a draft. “Next step” shows what it needs to start.',
  environmentDeleted: 'The environment was deleted. Visitors will see the change after the next publication.',
  started: 'The experiment is running.',
  paused: `The experiment is paused. New page views show the original ${SOON}.`,
  previewed: 'The experiment is in preview. Its preview links show the variations, and nothing is counted.',
  previewedWithoutLinks: 'The experiment is in preview. Set an example page to get preview links.',
  archived: 'The experiment is archived. Its results are kept.',
  drafted: 'The experiment is a draft again.',
  published: `The changes are published. New page views show them ${SOON}.`,
  rolledBack: `The earlier revision is live again. New page views show it ${SOON}.`,
  reverted: 'The change was reverted.',
  cloned: 'This is the clone. It is a draft: check it, then start it.',
  shared: 'The results are now shared, and the link works.',
  unshared: 'The results are no longer shared, and the link no longer works.',
  relinked: 'The link was replaced. The previous one no longer works.',
  deleted:
    'The experiment is in the trash. You can restore it within 30 days by reverting its deletion in the history.',
  webhookTested: 'The test message will be sent within seconds. Reload the page to see the outcome.',
  webhookRetried: 'The delivery is pending again and will be sent within seconds.',
  webhookRetriedLater: 'The delivery is pending again and will be sent once the webhook is turned on.',
  webhookDeleted: 'The webhook was deleted.',
  memberAdded: 'The member was added.',
  memberRemoved: 'The member was removed.',
  memberInvited: 'The link was shown only once. If you lose it, create a new link.',
} as const;

export type NoticeKey = keyof typeof NOTICES;

/** The message for the notice in a page's URL; null if there is none. */
export function noticeIn(query: RawQuery): string | null {
  const key = firstValue(query, 'notice');
  return Object.hasOwn(NOTICES, key) ? NOTICES[key as NoticeKey] : null;
}
