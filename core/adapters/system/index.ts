/** What other packages may use. @see core/adapters/README.md */

export { createConsoleLog } from './consoleLog'
export { placeOf } from './folderPlace'
export { createLogFiles } from './logFiles'
export { defaultDataFolder, readMachineIdentity } from './machineIdentity'
export { openInBrowser } from './openInBrowser'
export { claimedRun, claimPlayer, releasePlayer } from './playerClaim'
export { createEmfMetrics, createPowertoolsLog } from './powertools'
export { registerLinks } from './registerLinks'
export { createSystemClock } from './systemClock'
export { targetTriple } from './targetTriple'
