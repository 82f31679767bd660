import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import ts from 'typescript-eslint';

/**
 * A ring may not know the next one: kernels know floats, the library knows shapes, the page knows readers.
 *
 * @param {string} message
 * @param {string[]} group
 * @returns {import('eslint').Linter.RulesRecord}
 */
const ring = (message, group) => ({
  'no-restricted-imports': ['error', { patterns: [{ group, message }] }],
});

export default defineConfig(
  globalIgnores(['**/build/', 'dist/', 'web/lib/generated/']),
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
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    files: ['web/lib/**/*.ts'],
    rules: {
      'no-console': 'error',
      ...ring('The library knows neither elements nor page.', [
        '**/elements/**',
        '**/page/**',
        'lit',
        'd3-*',
      ]),
    },
  },
  {
    files: ['web/elements/**/*.ts', 'web/page/**/*.ts', 'web/training/**/*.ts', 'tests/**/*.ts'],
    rules: ring("Import the library by the package's name.", ['**/web/lib/**', '**/lib/*', '**/dist/**']),
  },
  {
    files: ['tests/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'MemberExpression[object.name=/^(it|test|describe)$/][property.name=/^(skip|only|todo|failing)$/]',
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
