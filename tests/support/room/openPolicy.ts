import type { AdmissionPolicy } from '#core/room/scaffolding/hostDecisions'

/** Everyone is let in. */
export const OPEN_POLICY: AdmissionPolicy = { needsApproval: false, allowed: [] }
