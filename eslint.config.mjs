import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const tests = ['test/**/*.ts', '**/*.spec.{ts,tsx}'];
const migrations = ['src/database/migrations/**'];
const unusedVariables = {
  argsIgnorePattern: '^_',
  varsIgnorePattern: '^_',
  caughtErrorsIgnorePattern: '^_',
  destructuredArrayIgnorePattern: '^_',
};

const everywhere = {
  linterOptions: { reportUnusedDisableDirectives: 'error' },
  rules: {
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'no-empty': 'error',
    'no-constant-condition': 'error',
    'no-cond-assign': 'error',
    'no-fallthrough': 'error',
    'no-loss-of-precision': 'error',
    'no-self-assign': 'error',
    'no-sparse-arrays': 'error',
    'no-unsafe-finally': 'error',
    'no-useless-catch': 'error',
    'no-useless-escape': 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'valid-typeof': 'error',
  },
};

// `consistent-type-imports` stays off: Nest reads constructor and DTO types at run time, so those imports must be values.
// The rules that are off below report code that is intended here: checks for missing array elements, classes that only
// describe data, strings spread into code points, and async methods that do not await anything yet.
const typescript = {
  files: ['**/*.{ts,tsx}'],
  extends: [tseslint.configs.strictTypeChecked],
  languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  rules: {
    '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
    '@typescript-eslint/no-unused-vars': ['error', unusedVariables],
    '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    '@typescript-eslint/no-misused-spread': 'off',
    '@typescript-eslint/no-unnecessary-condition': 'off',
    '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    '@typescript-eslint/require-await': 'off',
  },
};

// Tests read untyped responses and test doubles, and their assertions check the structure.
const looserInTests = {
  files: tests,
  rules: {
    '@typescript-eslint/no-non-null-assertion': 'off',
    '@typescript-eslint/no-unsafe-argument': 'off',
    '@typescript-eslint/no-unsafe-assignment': 'off',
    '@typescript-eslint/no-unsafe-call': 'off',
    '@typescript-eslint/no-unsafe-member-access': 'off',
    '@typescript-eslint/no-unsafe-return': 'off',
    '@typescript-eslint/unbound-method': 'off',
  },
};

const shortFiles = {
  files: ['src/**/*.{ts,tsx}', 'test/**/*.ts', 'bench/**/*.ts', 'clients/**/*.ts'],
  ignores: migrations,
  rules: { 'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }] },
};

// Admin commands print to standard output, and the snippet runs in browsers. All other code writes to the log.
const logInsteadOfConsole = {
  files: ['src/**/*.{ts,tsx}'],
  ignores: ['src/admin/**', 'src/admin.ts', 'src/publishing/runtime/**'],
  rules: { 'no-console': 'error' },
};

const nodeGlobals = [
  'AbortSignal',
  'URL',
  'console',
  'fetch',
  'process',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
];

const scripts = {
  files: ['scripts/**/*.mjs', 'examples/**/*.mjs', 'test/**/*.mjs', 'clients/**/*.mjs', '*.mjs'],
  languageOptions: { globals: Object.fromEntries(nodeGlobals.map((name) => [name, 'readonly'])) },
  rules: { 'no-undef': 'error', 'no-unused-vars': ['error', unusedVariables] },
};

export default defineConfig([
  globalIgnores([
    ...['dist/', 'node_modules/', 'data/', 'coverage/', '**/bundles/'],
    ...['clients/**/dist/', 'clients/**/schema.ts'],
  ]),
  everywhere,
  typescript,
  looserInTests,
  shortFiles,
  logInsteadOfConsole,
  scripts,
]);
