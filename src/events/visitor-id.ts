import { MAX_VISITOR_ID } from '../common/limits';

/** Pattern of a visitor id. */
export const VISITOR_ID_PATTERN = `^[ -~]{1,${MAX_VISITOR_ID}}$`;
const VISITOR = new RegExp(VISITOR_ID_PATTERN);

/**
 * Whether this is a valid visitor id. The SDKs for different languages would not agree on the hash of any other string.
 */
export const isVisitorId = (text: string): boolean => VISITOR.test(text);
