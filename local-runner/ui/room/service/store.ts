import { signal } from '@preact/signals'
import type { DoctorRecord } from '#core/room/doctor/doctorRecord'
import type { NodeHealth } from '#core/room/nodes/nodeHealth'
import type { PlayerConnection } from '#core/room/service/state/playerConnections'
import { ask, askJson, postJson, RequestProblem } from '../../shared/ask'
import { common } from '../../shared/texts'
import { isTokenNeeded } from '../../shared/token'
import { addLine } from '../state/logLines'
import type { Guest, LogLine, RoomStatus, StateRecord, WorldRecord } from '../state/records'
import { type AttemptProgress, nextProgress } from '../state/steps'
import { say } from '../words/texts'

/** The data of the page. Undefined until received from the service. */
export const status = signal<RoomStatus | undefined>(undefined)
export const state = signal<StateRecord | undefined>(undefined)
export const worlds = signal<readonly WorldRecord[]>([])
export const health = signal<readonly NodeHealth[] | undefined>(undefined)
/** The doctor's latest findings. */
export const diagnosis = signal<DoctorRecord | undefined>(undefined)
export const lines = signal<readonly LogLine[]>([])
export const progress = signal<AttemptProgress | undefined>(undefined)
/** Whether the feed is broken. */
export const isAway = signal(false)
/** Why the last press on a button did nothing. */
export const refusal = signal<string | undefined>(undefined)

let running: Promise<void> | undefined
let isStale = false

/** Fetches what has changed; calls during a fetch are one more fetch after it. */
export function refresh(): Promise<void> {
  isStale = true
  running ??= fetchChanges().finally(() => {
    running = undefined
  })
  return running
}

async function fetchChanges(): Promise<void> {
  while (isStale) {
    isStale = false
    const [newStatus, newState] = await Promise.all([
      askJson<RoomStatus>('/room/status'),
      askJson<StateRecord>('/state'),
    ])
    progress.value = nextProgress(progress.value, newStatus, performance.now())
    status.value = newStatus
    state.value = newState
  }
}

export async function refreshWorlds(): Promise<void> {
  worlds.value = (await askJson<{ servers: WorldRecord[] }>('/game/servers')).servers
}

export async function checkNodes(): Promise<void> {
  health.value = (await askJson<{ servers: NodeHealth[] }>('/network/servers')).servers
}

export function noteGuests(guests: readonly Guest[], connections: readonly PlayerConnection[]): void {
  if (status.value) status.value = { ...status.value, guests, connections }
}

export function noteLine(line: LogLine): void {
  lines.value = addLine(lines.value, line)
}

/** Does what a button says; what the service answers otherwise is shown. */
async function act(work: () => Promise<unknown>): Promise<void> {
  refusal.value = undefined
  try {
    await work()
    await refresh()
  } catch (error) {
    if (!isTokenNeeded.value) refusal.value = sentenceOf(error)
  }
}

export function sentenceOf(error: unknown): string {
  if (!(error instanceof RequestProblem)) throw error
  // The forms report all other problems with a port beforehand.
  if (error.code === 'invalid-request' && error.detail.startsWith('gamePort: ')) return say('portOwn')
  return error.code === 'unreachable' ? common('unreachable') : error.detail
}

export const openRoom = (order: {
  readonly playerName: string
  readonly gamePort: number | undefined
  readonly private: boolean
  readonly approval: boolean
}) => act(() => postJson('/room/host/start', order))

export const joinRoom = (order: {
  readonly playerName: string
  readonly roomCode: string
  readonly acceptNewHost?: true
}) => act(() => postJson('/room/guest/start', order))

export const chooseWorld = (gamePort: number) => act(() => postJson('/room/host/game', { gamePort }))
/** @param answer `kick` for a player who is in the room, the others for one who is not */
export const answerGuest = (id: string, answer: 'approve' | 'refuse' | 'kick') =>
  act(() => ask(`/room/guests/${encodeURIComponent(id)}/${answer}`, { method: 'POST' }))

/** A removal can take others of the same address along. */
export const removeAll = (ids: readonly string[]) =>
  act(async () => {
    for (const id of ids) {
      await refresh()
      const isThere = status.value?.guests.some((one) => one.id === id && one.state === 'unregistered')
      if (isThere) await ask(`/room/guests/${encodeURIComponent(id)}/kick`, { method: 'POST' })
    }
  })

/** Has an invitation to the hosted room made. */
export const invite = (take: (made: { readonly link: string; readonly svg: string }) => void) =>
  act(async () => {
    const made = (await (await postJson('/room/invitation', {})).json()) as {
      link: string
      webLink: string | null
      svg: string
    }
    take({ link: made.webLink ?? made.link, svg: made.svg })
  })

export const leave = () => act(() => ask('/room/stop', { method: 'POST' }))
export const retry = () => act(() => ask('/room/retry', { method: 'POST' }))

/** Has the service look at what rooms need, which takes some seconds. */
export const examine = () =>
  act(async () => {
    diagnosis.value = await askJson<DoctorRecord>('/doctor')
  })

/** Saves the log as a file. The service has left secrets out of it. */
export const downloadLog = () => save('/log', 'lantern-room', 'log')
/** Saves a report, for those who help. The service has left secrets out of it. */
export const saveReport = () => save('/report', 'room-report', 'json')

const save = (path: string, name: string, ending: string) =>
  act(async () => {
    const address = URL.createObjectURL(await (await ask(path)).blob())
    const link = document.createElement('a')
    link.href = address
    link.download = `${name}-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.${ending}`
    link.click()
    setTimeout(() => URL.revokeObjectURL(address), 10_000)
  })
