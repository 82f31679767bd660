import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import ts from 'typescript-eslint';

/**
 * A ring may not know the next one: kernels know floats, the library knows shapes, the page knows readers.
 *
 * @param {{ regex: string, message: string }[]} patterns matched against what static and dynamic imports name
 * @returns {import('eslint').Linter.RulesRecord}
 */
const ring = (...patterns) => ({
  'no-restricted-imports': ['error', { patterns }],
  'no-restricted-syntax': [
    'error',
    ...patterns.map(({ regex, message }) => ({
      selector: `ImportExpression > Literal[value=/${regex.replaceAll('/', '\\/')}/]`,
      message,
    })),
  ],
});

const byName = { regex: '(^|/)(lib|dist)/', message: "Import the library by the package's name." };
const noElements = { regex: '(^|/)elements/', message: 'This ring does not know the elements.' };
const noPage = { regex: '(^|/)page/', message: 'This ring does not know the page.' };

export default defineConfig(
  globalIgnores(['**/build/', 'dist/', 'web/*/generated/']),
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [ts.configs.strictTypeChecked, ts.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // An index that is in range by construction is said so with `!`.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Callers without types and engines without a feature are met with checks that the types call needless.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // A numeric loop reads like the formula it computes.
      '@typescript-eslint/prefer-for-of': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    files: ['web/lib/**/*.ts'],
    rules: {
      'no-console': 'error',
      ...ring(noElements, noPage, {
        regex: '^(lit|d3-.*)$',
        message: 'The library does not draw.',
      }),
    },
  },
  { files: ['web/training/**/*.ts'], rules: ring(byName, noElements, noPage) },
  {
    files: ['web/elements/**/*.ts'],
    rules: {
      ...ring(byName, noPage, {
        regex: '/training/(?!index\\.js$)',
        message: "Import the training example's index.ts.",
      }),
      // `figureWith` makes a figure's base. The rule takes an instance of it for none of LitElement.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  {
    files: ['web/page/**/*.ts'],
    rules: ring(byName, {
      regex: 'elements/.+/',
      message: 'The page uses what the files directly in web/elements export.',
    }),
  },
  { files: ['tests/**/*.ts'], rules: { 'no-restricted-imports': ['error', { patterns: [byName] }] } },
  {
    files: ['tests/**/*.ts'],
    rules: {
      // The functions of a loaded module are bound.
      '@typescript-eslint/unbound-method': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector: 'MemberExpression[object.name=/^(it|test|describe)$/][property.name=/^(skip|only|todo|failing)$/]',
          message: 'Every test runs.',
        },
      ],
    },
  },
  {
    // Undefined names in JavaScript are found by tsc (tsconfig.scripts.json).
    files: ['**/*.js', '**/*.mjs'],
    rules: { 'no-undef': 'off' },
  },
);
