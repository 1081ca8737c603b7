import { isProxyUntold } from '../../src/network.js'
import { fault, ok, warning, type Check } from './check.js'

export const configuration: Check = {
  name: 'Configuration',
  look: ({ config, configFaults }) => {
    if (configFaults.length > 0) {
      return fault(
        `${configFaults.join('; ')}.`,
        'Set these in the environment or in .env. docs/configuration.md lists every variable. Without any, `npm start` ' +
          'provides what is needed.',
      )
    }
    if (isProxyUntold(config)) {
      return warning(
        'PUBLIC_URL is https, so `web` must be behind a proxy. With TRUSTED_PROXY_HOPS=0, every request appears to come from the proxy.',
        'Set TRUSTED_PROXY_HOPS to the number of proxies that set X-Forwarded-For.',
      )
    }
    return ok('Every variable is valid.')
  },
}
