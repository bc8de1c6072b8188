import type { AdmissionPolicy } from '#internal/protocol/scaffolding/players/hostDecisions'
import type { ScaffoldingServerOptions } from '#internal/protocol/scaffolding/server'

/** Everyone is let in. */
export const OPEN_POLICY: AdmissionPolicy = { needsApproval: false, allowed: [] }

/** A server of the room protocol that admits everyone and has no commands of its own. */
export const OPEN_SERVER = {
  ids: { idFor: (machineId) => machineId, seenBy: (_memberId, players) => players },
  admission: { admit: () => true, accessOf: () => 'admitted', waitingOf: () => [] },
  extraCommands: {},
  offeredCommands: {},
  onOverShare() {},
} as const satisfies Partial<ScaffoldingServerOptions>
