import { Ajv } from 'ajv';
import type { Setting } from './setting';
import { SETTINGS } from './settings';

it('each setting is a valid JSON Schema, which is not checked when the configuration is loaded', () => {
  const ajv = new Ajv();
  const settings = Object.entries<Setting>(SETTINGS);
  const errors = settings.filter(([, setting]) => ajv.validateSchema(setting) !== true).map(([name]) => name);
  expect(errors).toEqual([]);
});
