/** What other packages may use. @see core/protocol/README.md */

export { type MemberShare, type OnOverShare, SECRET_SIZE, THIS_MACHINE } from './members'
export { BYE_MS, createGoodbye, type Goodbye } from './scaffolding/goodbye'
export { networkCommand, portsCommand } from './scaffolding/lanternCommands'
export { playerCommand } from './scaffolding/playerClaim'
export type { Bans } from './scaffolding/players/bans'
export { HostAdmission } from './scaffolding/players/hostAdmission'
export {
  type AdmissionPolicy,
  createHostDecisions,
  type HostDecisions,
  type KeptDecisions,
  keptDecisions,
  toKeptDecisions,
} from './scaffolding/players/hostDecisions'
export { createPlayerRegistry, MAX_PLAYERS, type PlayerRegistry } from './scaffolding/players/registry'
export { SharedIds } from './scaffolding/players/sharedIds'
export { createScaffoldingServer, type ScaffoldingServer } from './scaffolding/server'
export { identityCommand } from './scaffolding/serverCommands'
