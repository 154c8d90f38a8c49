const VISITOR = /^[\x20-\x7e]{1,64}$/;

/** Can this be the id of a visitor? Other text is hashed differently by SDKs of different languages. */
export const isVisitorId = (text: string): boolean => VISITOR.test(text);

/** What an id of a visitor must be, to go on after "must be". */
export const VISITOR_ID = '1 to 64 printable ASCII characters';
