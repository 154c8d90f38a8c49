import { Ajv } from 'ajv';
import type { Setting } from './setting';
import { SETTINGS } from './settings';

it('SETTINGS contains only valid JSON Schemas, which loading the configuration does not check', () => {
  const ajv = new Ajv();
  const settings = Object.entries<Setting>(SETTINGS);
  const errors = settings.filter(([, setting]) => ajv.validateSchema(setting) !== true).map(([name]) => name);
  expect(errors).toEqual([]);
});
