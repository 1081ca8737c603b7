import js from '@eslint/js'
import regexp from 'eslint-plugin-regexp'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['**/dist/', '.data/', 'coverage/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      // One program of all files, as for `tsc`: the service of editors builds it again and again as files are opened.
      parserOptions: {
        project: ['./tsconfig.json', './clients/typescript/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
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
    // Half of the code, of which nothing is shipped. Asking for the type of each expression takes most of the linter's
    // time; what `tsc` cannot tell of a test is whether it waits for what it expects.
    files: ['bench/**/*.ts', 'chaos/**/*.ts', 'test/**/*.ts'],
    rules: {
      ...tseslint.configs.disableTypeChecked.rules,
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
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
        self: 'readonly',
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
