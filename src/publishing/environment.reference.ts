/** Reference of the caller's environment. */
export const ENVIRONMENT = {
  name: 'environment',
  in: 'query',
  required: false,
  description: 'The api_name of an environment. Without it, the default environment is used.',
  schema: { type: 'string' },
  example: 'production',
};
