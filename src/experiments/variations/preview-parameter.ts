/** The query parameter of preview links, which the snippet reads. Used by the server and in browsers. */
export const PREVIEW_PARAMETER = 'gosset_preview';
