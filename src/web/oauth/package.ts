/**
 * oidc-provider, without its first words: on Node 20 it warns on standard error that it wants Node 22, in lines that
 * are no log lines. What we use of it works on Node 20: every test runs on it.
 */
const warn = console.warn
console.warn = () => undefined
export const { Provider, errors } = await import('oidc-provider')
console.warn = warn
