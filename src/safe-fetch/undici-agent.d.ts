/** undici's Agent by itself, which its types leave out: what `safe-fetch.ts` builds on. */
declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici'

  export default Agent
}
