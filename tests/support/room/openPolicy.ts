import type { AdmissionPolicy } from '#core/room/scaffolding/players/hostDecisions'

/** Everyone is let in. */
export const OPEN_POLICY: AdmissionPolicy = { needsApproval: false, allowed: [] }
