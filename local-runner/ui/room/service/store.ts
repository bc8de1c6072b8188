import { version } from '@lantern-room/base'
import { signal } from '@preact/signals'
import { ask, askJson, postJson, RequestProblem } from '../../shared/ask'
import { isTokenNeeded } from '../../shared/token'
import { addLine } from '../state/logLines'
import { type Coming, comingsOf } from '../state/members'
import type { Guest, LogLine, RoomStatus, StateRecord, WorldRecord } from '../state/records'
import { type AttemptProgress, nextProgress } from '../state/steps'
import { refusalOf } from '../words/texts'
import { steady } from './steady'

/** The data of the page. Undefined until received from the service. */
export const status = signal<RoomStatus | undefined>(undefined)
export const state = signal<StateRecord | undefined>(undefined)
export const worlds = signal<readonly WorldRecord[]>([])
export const lines = signal<readonly LogLine[]>([])
export const progress = signal<AttemptProgress | undefined>(undefined)
/** Who came and left while the page was open, the last one first. */
export const comings = signal<readonly Coming[]>([])
/** Whether the feed is broken. */
export const isAway = signal(false)
/** Why the last press on a button did nothing, and where that button is. */
export const refusal = signal<{ readonly at: Place; readonly text: string } | undefined>(undefined)
/** The player whom the host has removed last. */
export const removed = signal<Pick<Guest, 'id' | 'name'> | undefined>(undefined)
const NOTHING_KEPT: KeptRoom = { role: null, roomCode: null }
/** The room that an earlier run of the program has left. */
export const kept = signal<KeptRoom>(NOTHING_KEPT)
type KeptRoom = { readonly role: 'host' | 'guest' | null; readonly roomCode: string | null }
/** Under which name the game was played last on this computer. */
export const gameName = signal<string | undefined>(undefined)
/** Whether the player has ended the program by this page, and it has not been started since. */
export const hasQuit = signal(false)
/** Whether the program is of another version than this page. */
export const isOtherVersion = signal(false)

/** The parts of the page in which something can be pressed. */
export type Place =
  | 'status'
  | 'host'
  | 'join'
  | 'requests'
  | 'others'
  | 'players'
  | 'room'
  | 'failure'
  | 'doctor'
  | 'ports'
  | 'nodes'
  | 'program'
  | 'saved'

const MAX_COMINGS = 20

let running: Promise<void> | undefined
let isStale = false
/** How many presses are being answered, which is shown at once. */
let answering = 0

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
    if (answering === 0) await steady()
    progress.value = nextProgress(progress.value, newStatus, performance.now())
    // A removal is told where it was done.
    const isNews = ({ id, isIn }: Coming) => isIn || id !== removed.value?.id
    const isSameRoom = newStatus.role !== null && newStatus.roomCode === status.value?.roomCode
    const news = comingsOf(status.value?.players ?? [], newStatus.players, Date.now())
    comings.value = isSameRoom ? [...news.filter(isNews), ...comings.value].slice(0, MAX_COMINGS) : []
    status.value = newStatus
    state.value = newState
    // Another room has taken its place, or it is open again.
    if (newStatus.role !== null) kept.value = NOTHING_KEPT
  }
}

/** Asks what can have changed while the program was not there. */
export async function refreshProgram(): Promise<void> {
  const [meta, left, settings] = await Promise.all([
    askJson<{ version: string }>('/meta'),
    askJson<KeptRoom>('/room/kept'),
    askJson<{ gameName?: string }>('/config'),
  ])
  isOtherVersion.value = meta.version !== version
  // The answer may be older than the room that has been opened meanwhile.
  kept.value = status.value?.role ? NOTHING_KEPT : left
  gameName.value = settings.gameName
}

export function noteGuests(guests: readonly Guest[], connections: RoomStatus['connections']): void {
  const now = status.value
  if (now && JSON.stringify(guests) === JSON.stringify(now.guests)) status.value = { ...now, connections }
  else void refresh().catch(() => {})
}

export function noteLine(line: LogLine): void {
  lines.value = addLine(lines.value, line)
}

/** Does what a button says; what the service answers otherwise is shown. */
export async function act(at: Place, work: () => Promise<unknown>): Promise<void> {
  refusal.value = undefined
  answering += 1
  try {
    await work()
    await refresh()
  } catch (error) {
    if (!(error instanceof RequestProblem)) throw error
    if (!isTokenNeeded.value) refusal.value = { at, text: refusalOf(error) }
  } finally {
    answering -= 1
  }
}

/** What the player has chosen on this page for the rooms to come; what is undefined is as the service is set. */
export const choices = signal({ friendRelay: keptChoice('friendRelay'), direct: keptChoice('direct') })

function keptChoice(name: string): boolean | undefined {
  const text = localStorage.getItem(name)
  return text === null ? undefined : text === 'true'
}

export function choose(name: keyof typeof choices.value, isOn: boolean): void {
  localStorage.setItem(name, String(isOn))
  choices.value = { ...choices.value, [name]: isOn }
}

/** Opens or joins a room. After a crash or an end of the program it can be opened or joined again, when the player wants it. */
export const enter = (at: Place, role: 'host' | 'guest', order: object) =>
  act(at, () => postJson(`/room/${role}/start`, { ...order, ...choices.value, resume: 'ask' }))

/** Goes back to the room of an earlier run; without, that room is forgotten. */
export const answerKept = (goesBack: boolean) =>
  act('failure', async () => {
    const path = goesBack ? '/room/resume' : '/room/stop'
    await ask(path, { method: 'POST' }).finally(refreshProgram)
  })

export const chooseWorld = (gamePort: number) => act('room', () => postJson('/room/host/game', { gamePort }))

export type Answer = 'approve' | 'refuse' | 'kick'
/** @param answer `kick` for a player who is in the room, the others for one who is not */
export const answerGuest = (at: Place, { id, name }: Pick<Guest, 'id' | 'name'>, answer: Answer) =>
  act(at, async () => {
    if (answer === 'kick') removed.value = { id, name }
    await ask(`/room/guests/${encodeURIComponent(id)}/${answer}`, { method: 'POST' })
  })

/** A removal can take others of the same address along. */
export const removeAll = (ids: readonly string[]) =>
  act('others', async () => {
    for (const id of ids) {
      await refresh()
      const isThere = status.value?.guests.some((one) => one.id === id && one.state === 'unregistered')
      if (isThere) await ask(`/room/guests/${encodeURIComponent(id)}/kick`, { method: 'POST' })
    }
  })

export type MadeInvitation = { readonly link: string; readonly webLink: string | null; readonly svg: string }

/**
 * An invitation to the hosted room; undefined when it cannot be made, which leaves the code.
 * @param text of the QR code, where no page takes invitations
 */
export async function invite(text: string): Promise<MadeInvitation | undefined> {
  const response = await postJson('/room/invitation', { text }).catch(() => undefined)
  return (await response?.json()) as MadeInvitation | undefined
}

export const leave = (at: Place) => act(at, () => ask('/room/stop', { method: 'POST' }))
/** @param wait whether to wait this time for a host who is not there yet */
export const retry = (at: Place, wait?: true) => act(at, () => postJson('/room/retry', { wait }))
