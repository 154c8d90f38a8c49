/** Reference of the switch that adds experiments to a payload. */
export const EXPERIMENTS = {
  name: 'experiments',
  in: 'query',
  required: false,
  description:
    '`1` or `true`: include the experiments that change pages. SDKs run them automatically, and count each one.',
  schema: { type: 'string', enum: ['1', 'true', '0', 'false'], default: '0' },
};
