/** The phone simulator's page and its phones' acts, for the route table. */
export { getSimulatorMedia } from './media.js'
export { liveConversations, postPhoneMessage, postVoicemail, showSimulator } from './simulator.js'
