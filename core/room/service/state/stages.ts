/** The stages of a room, and the launcher states they map to. */

/** Each stage (`state` of `/room/status`) with its launcher state (`state` of `/state`). */
export const STATE_OF = {
  Idle: 'waiting',
  Stopping: 'waiting',
  Host_Prepare: 'host-scanning',
  Host_GameDetecting: 'host-scanning',
  Host_ScaffoldingStarting: 'host-starting',
  Host_NetworkStarting: 'host-starting',
  Host_Running: 'host-ok',
  Guest_Prepare: 'guest-connecting',
  Guest_NetworkStarting: 'guest-starting',
  Guest_DiscoveringCenter: 'guest-starting',
  Guest_ConnectingScaffolding: 'guest-starting',
  Guest_AwaitingApproval: 'guest-starting',
  Guest_Reconnecting: 'guest-starting',
  Guest_Running: 'guest-ok',
  Error: 'exception',
} as const

/** Where a room is, from its start to its end, as `state` of `GET /room/status`. */
export type Stage = keyof typeof STATE_OF
export const STAGES = Object.keys(STATE_OF) as [Stage, ...Stage[]]
/** The states of the contract, as launchers know them. */
export type LauncherState = (typeof STATE_OF)[Stage]
export const LAUNCHER_STATES = [...new Set(Object.values(STATE_OF))] as [LauncherState, ...LauncherState[]]
export type Role = 'host' | 'guest'
