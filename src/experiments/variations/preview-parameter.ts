/** The query parameter in preview links, which the snippet reads. Both the server and browsers use this file. */
export const PREVIEW_PARAMETER = 'gosset_preview';
