/** Events cannot be exported (completely). The message is meant for the user. */
export class ExportRefusedError extends Error {}
