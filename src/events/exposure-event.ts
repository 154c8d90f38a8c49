/** The event of an exposure, as in Segment's specification of A/B testing events. For servers and browsers. */
export const EXPOSURE = 'Experiment Viewed';
