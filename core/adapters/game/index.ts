/** What other packages may use. @see core/adapters/README.md */

export { createGameLogs } from './gameLogs'
export { createGameName } from './gameName'
export { createGameProbe } from './gameProbe'
export { createListening } from './listeningSockets'
export { listMods } from './listMods'
export { createVoiceSettings, defaultGameFolder } from './voiceSettings'
