import { LINK_REFUSALS } from '../links/link-request';
import { REJECTIONS } from '../messages';
import { LATE, WITH_REJECTED } from './recent-message';
import { REFUSED_REASONS } from './refused-requests';

const OTHERS = {
  [LATE]: 'It arrived more than 72 hours after it happened.',
  [WITH_REJECTED]: 'Another event of the same request was rejected, so none was stored.',
};

const TEXTS: Readonly<Record<string, string>> = {
  ...LINK_REFUSALS,
  ...REJECTIONS,
  ...REFUSED_REASONS,
  ...OTHERS,
};

/** The explanation of a reason, as plain text. For a reason of another version, the reason itself. */
export const reasonText = (reason: string): string => (TEXTS[reason] ?? reason).replaceAll('`', '');
