/** What other packages may use. @see core/adapters/README.md */

export { isRunning } from './processOwner'
export { killAllProcesses } from './runningGroups'
