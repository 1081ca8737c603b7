/** The phone simulator's page and its phones' acts, for the route table. */
export { liveConversations, postPhoneMessage, postVoicemail, showSimulator } from './simulator.js'
