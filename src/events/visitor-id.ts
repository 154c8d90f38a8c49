import { MAX_VISITOR_ID } from '../common/limits';

export const VISITOR_ID_PATTERN = `^[ -~]{1,${MAX_VISITOR_ID}}$`;
const VISITOR = new RegExp(VISITOR_ID_PATTERN);

/** Whether this is a valid visitor id. Other strings are hashed differently by SDKs of different languages. */
export const isVisitorId = (text: string): boolean => VISITOR.test(text);
