/** The query parameter of preview links, which the snippet reads. For servers and browsers. */
export const PREVIEW_PARAMETER = 'gosset_preview';
