/** How the admin command is called, as help texts and messages show it. */
export const INVOCATION = 'npm run -s admin --';
