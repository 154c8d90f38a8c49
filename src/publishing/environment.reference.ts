/** What the reference says about the environment that a caller is in. */
export const ENVIRONMENT = {
  name: 'environment',
  in: 'query',
  required: false,
  description: 'The api_name of an environment; the default one where it is missing.',
  schema: { type: 'string' },
  example: 'production',
};
