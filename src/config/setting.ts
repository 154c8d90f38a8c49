/*
 * A JSON Schema describes an environment variable, with three additional keywords: `x-default` (the default in words,
 * if it depends on something else), `x-message` (the allowed values, if the schema does not explain them well) and
 * `x-secret` (messages never show the value).
 */

interface Described {
  /** The purpose of the variable, in Markdown. */
  readonly description: string;
  readonly 'x-default'?: string;
  /** The value in `.env.example` if the variable has no default. */
  readonly examples?: readonly [string];
}

interface TextSetting extends Described {
  readonly type: 'string';
  readonly default?: string;
  readonly enum?: readonly string[];
  readonly format?: SettingFormat;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly 'x-message'?: string;
  readonly 'x-secret'?: true;
}

interface NumberSetting extends Described {
  readonly type: 'integer';
  readonly minimum: number;
  readonly maximum: number;
  readonly default?: number;
}

export type Setting = TextSetting | NumberSetting;

/** Format of a string. See `formats.ts`. */
export type SettingFormat =
  | 'addresses'
  | 'database'
  | 'events'
  | 'header'
  | 'host'
  | 'headers'
  | 'http'
  | 'issuer'
  | 'membership'
  | 'origin'
  | 'proxies'
  | 'redis';
