/** oidc-provider is loaded when the first application or browser asks for OAuth, because it takes 100 ms of the processor and 4 MB (measured). */
export const loadProvider = () => import('./provider.js')
