/** The phone simulator's page and what its phones do, for the route table. */
export { getSimulatorMedia } from './media.js'
export { liveConversations, postPhoneMessage, postVoicemail, showSimulator } from './simulator.js'
