import js from '@eslint/js'
import regexp from 'eslint-plugin-regexp'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['**/dist/', '.data/', 'coverage/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  {
    // One field of 60 kB would stop a process for seconds.
    files: ['src/**', 'bin/**', 'workers/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    // chai's assertions are property reads: expect(x).to.be.true
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // What a stand-in gets may be anything, and what is wrong with it is told in a sentence.
    files: ['test/carriers/stand-ins/*.ts'],
    rules: {
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    files: ['**/*.js', '**/*.cjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        module: 'writable',
        require: 'readonly',
        setImmediate: 'readonly',
      },
    },
  },
  {
    files: ['examples/**/*.js'],
    languageOptions: { globals: { Buffer: 'readonly', URL: 'readonly', fetch: 'readonly' } },
  },
  {
    files: ['src/web/assets/*.js'],
    languageOptions: {
      globals: {
        document: 'readonly',
        history: 'readonly',
        location: 'readonly',
        matchMedia: 'readonly',
        navigator: 'readonly',
        fetch: 'readonly',
        DOMParser: 'readonly',
        FormData: 'readonly',
        performance: 'readonly',
        sessionStorage: 'readonly',
        Event: 'readonly',
        URL: 'readonly',
        URLSearchParams: 'readonly',
        SimpleWebAuthnBrowser: 'readonly',
        getSelection: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        AbortController: 'readonly',
        TextDecoderStream: 'readonly',
        SharedWorker: 'readonly',
        EventSource: 'readonly',
        MutationObserver: 'readonly',
        requestAnimationFrame: 'readonly',
        htmx: 'readonly',
        addEventListener: 'readonly',
        onconnect: 'writable',
      },
    },
  },
)
