/** The invocation of the admin command in help texts and messages. */
export const INVOCATION = 'npm run -s admin --';
