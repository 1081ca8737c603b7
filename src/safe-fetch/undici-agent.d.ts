/** undici's types leave out the file that has its Agent alone, which `safe-fetch.ts` imports. */
declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici'

  export default Agent
}
