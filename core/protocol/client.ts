/** What other packages may use. @see core/protocol/README.md */

export { ProtocolFailure, type ProtocolFailureCode } from './protocolFailure'
export {
  createScaffoldingClient,
  type HostedWorld,
  handshake,
  type ScaffoldingClient,
} from './scaffolding/client'
export { BYE_MS } from './scaffolding/goodbye'
export { PORTS_COMMAND } from './scaffolding/lanternCommands'
export type { PlayerClaim } from './scaffolding/playerClaim'
export { encodePort } from './scaffolding/wire/commands'
