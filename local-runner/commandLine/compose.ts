/** What the programs on this machine use to watch other processes. */
export { isRunning } from '#core/adapters/process/processOwner'
