import { Ajv } from 'ajv';
import { SETTING_FORMATS, wrongAddresses, wrongProxies } from './formats';
import type { Setting } from './setting';
import { SettingName, SETTINGS, SettingValues } from './settings';

const NAMES = Object.keys(SETTINGS) as SettingName[];

const ajv = new Ajv({
  allErrors: true,
  useDefaults: true,
  messages: false,
  formats: SETTING_FORMATS,
  // A test validates the table against the meta-schema, because compiling the meta-schema would take most of the time
  // here.
  meta: false,
  validateSchema: false,
});
ajv.addVocabulary(['x-default', 'x-message', 'x-secret', 'example']);
const validate = ajv.compile({ type: 'object', properties: SETTINGS });

export interface ReadSettings {
  /** All values. Invalid variables get the value that they would have if absent. */
  values: SettingValues;
  /** One sentence for each invalid variable, in table order. */
  problems: string[];
}

/** Reads all variables. An empty variable counts as absent. */
export function readSettings(environment: NodeJS.ProcessEnv): ReadSettings {
  const given = new Map<SettingName, string>();
  for (const name of NAMES) {
    const text = environment[name]?.trim();
    if (text) {
      given.set(name, text);
    }
  }
  const wrong = new Set(wrongIn(valuesOf(given)));
  const problems = NAMES.filter((name) => wrong.has(name)).map((name) => problemOf(name, given.get(name)));
  const right = new Map([...given].filter(([name]) => !wrong.has(name)));
  const values = valuesOf(right);
  wrongIn(values);
  return { values: values as unknown as SettingValues, problems };
}

type Values = Record<string, string | number>;

/**
 * Only text that consists of digits is converted to a number. Anything else, such as `1e3`, stays a string, which
 * validation rejects.
 */
const valuesOf = (texts: ReadonlyMap<SettingName, string>): Values =>
  Object.fromEntries(
    [...texts].map(([name, text]) => {
      const isNumber = SETTINGS[name].type === 'integer' && /^\d{1,10}$/.test(text);
      return [name, isNumber ? Number(text) : text];
    }),
  );

/** The names of invalid variables. Fills in the defaults of absent variables. */
function wrongIn(values: Values): SettingName[] {
  return validate(values)
    ? []
    : (validate.errors ?? []).map(({ instancePath }) => instancePath.slice(1) as SettingName);
}

/** A URL with a user name or a password. */
const HAS_PASSWORD = /:\/\/[^/]*@/;

/**
 * The problem with a variable. The message never shows the value of a secret setting, because even an invalid value may
 * contain a password.
 */
function problemOf(name: SettingName, text = ''): string {
  const setting: Setting = SETTINGS[name];
  if (setting.type === 'integer') {
    return `${name} must be a whole number from ${setting.minimum} to ${setting.maximum}, not "${text}".`;
  }
  const { format, enum: allowed, 'x-message': message, 'x-secret': isSecret } = setting;
  if (format === 'addresses' || format === 'proxies') {
    const wrong = format === 'proxies' ? wrongProxies(text) : wrongAddresses(text);
    return `${name} ${message}; invalid: ${wrong.join(', ')}.`;
  }
  const rule = allowed === undefined ? message : `must be one of ${allowed.join(', ')}`;
  const isShown = isSecret !== true && !HAS_PASSWORD.test(text);
  return `${name} ${rule}${isShown ? `, not "${text}"` : ''}.`;
}
