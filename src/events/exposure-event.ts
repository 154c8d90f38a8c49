/** Name of the exposure event in Segment's specification of A/B testing events. Used on servers and in browsers. */
export const EXPOSURE = 'Experiment Viewed';
