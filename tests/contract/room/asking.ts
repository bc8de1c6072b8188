import { readRoomCode } from '@lantern-room/protocol'
import * as assert from 'uvu/assert'
import { playerIdIn } from '#support/room/playerIdIn'
import type { RoomTarget } from '#support/room/roomTargets'
import { eventually } from '#support/values/until'

// How the room service is asked, and what its records and refusals look like.

export type State = {
  readonly state: string
  readonly role: string | null
  readonly room: string | null
  readonly profileIndex: number
  readonly profiles: readonly ShownProfile[]
  readonly url: string | null
  readonly difficulty: string | null
  readonly index: number
  readonly exceptionType: number | null
  readonly error: string | null
}

export type Status = {
  readonly state: string
  readonly role: string | null
  readonly error: string | null
  readonly roomCode: string | null
  readonly private: boolean | null
  readonly approval: boolean | null
  readonly allowed: readonly string[] | null
  readonly players: readonly ShownProfile[]
  readonly guests: readonly ShownGuest[]
  readonly connections: readonly unknown[]
  readonly gamePort: number
  readonly lastUpdate: string
  readonly errorCode: string | null
  readonly stage: string | null
  readonly hint: string | null
  readonly hintCode: string | null
  readonly network: unknown
}

type ShownGuest = {
  readonly id: string
  readonly name: string
  readonly vendor: string
  readonly state: string
}

export type ShownProfile = {
  readonly name: string
  readonly machineId: string
  readonly vendor: string
  readonly kind: string
}

export function postJson(target: RoomTarget, path: string, body?: unknown): Promise<Response> {
  if (body === undefined) return target.send(path, { method: 'POST' })
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return target.send(path, { method: 'POST', body: text, headers: { 'Content-Type': 'application/json' } })
}

/** The JSON of a 200; what is in it is for the test to say. */
export async function got<T = Record<string, unknown>>(answer: Promise<Response>): Promise<T> {
  const response = await answer
  const text = await response.text()
  assert.is(response.status, 200, text)
  assert.match(response.headers.get('Content-Type') ?? '', /^application\/json\b/)
  return JSON.parse(text)
}

/** A 200 whose whole body is one sentence. */
export async function told(answer: Promise<Response>, words: RegExp): Promise<void> {
  const body = await got(answer)
  assert.equal(Object.keys(body), ['message'])
  assert.match(String(body.message), words)
}

export const stateOf = (target: RoomTarget) => got<State>(target.send('/state'))
export const statusOf = (target: RoomTarget) => got<Status>(target.send('/room/status'))

/** Asks until the state is there, as launchers do. */
export async function untilState(target: RoomTarget, wanted: string, ms = 60_000): Promise<State> {
  const isOver = ({ state }: State) => state === wanted || state === 'exception'
  const record = await eventually(() => stateOf(target), isOver, { ms, everyMs: 30 })
  assert.is(record.state, wanted, `${record.error}`)
  return record
}

const CODES: Readonly<Record<number, string>> = {
  400: 'invalid-request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  405: 'method-not-allowed',
  409: 'conflict',
  413: 'payload-too-large',
  415: 'unsupported-media',
  426: 'upgrade-required',
  503: 'unavailable',
}

/**
 * A refusal has its status, a body of exactly `error` and `code` that belong together, and is kept out of caches.
 * @returns error
 */
export async function refused(answer: Promise<Response>, status: number, words?: RegExp): Promise<string> {
  const response = await answer
  const text = await response.text()
  assert.is(response.status, status, text)
  assert.match(response.headers.get('Content-Type') ?? '', /^application\/json\b/)
  const body = JSON.parse(text)
  assert.equal(Object.keys(body).sort(), ['code', 'error'])
  assert.is(body.code, CODES[status])
  assert.match(body.error, /^[A-Za-z/].*\.$/s)
  assert.not.match(body.error, /undefined|\[object|Error\b|\bE[A-Z]{4,}\b|node:/)
  if (words) assert.match(body.error, words)
  assert.is(response.headers.get('Cache-Control'), 'no-store')
  if (status === 401) assert.is(response.headers.get('WWW-Authenticate'), 'Bearer')
  return body.error
}

/** The fields of a record and what each is; a `?` at the end allows null. Nothing more may be there, nothing less. */
export function hasShape(record: unknown, shape: Readonly<Record<string, string>>): void {
  assert.ok(typeof record === 'object' && record !== null, `${record} is no record`)
  assert.equal(Object.keys(record).sort(), Object.keys(shape).sort())
  for (const [name, wanted] of Object.entries(shape)) {
    const value: unknown = Reflect.get(record, name)
    const what = `${name} is ${JSON.stringify(value)}`
    if (value === null) assert.ok(wanted.endsWith('?'), what)
    else assert.is(kindOf(value), wanted.replace('?', ''), what)
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  if (typeof value !== 'string') return typeof value
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) ? 'time' : 'string'
}

export const STATE_SHAPE = {
  state: 'string',
  role: 'string?',
  room: 'string?',
  profileIndex: 'integer',
  profiles: 'array',
  url: 'string?',
  difficulty: 'string?',
  index: 'integer',
  profile_index: 'integer',
  exceptionType: 'integer?',
  type: 'integer?',
  error: 'string?',
}

export const STATUS_SHAPE = {
  state: 'string',
  role: 'string?',
  error: 'string?',
  roomCode: 'string?',
  private: 'boolean?',
  approval: 'boolean?',
  allowed: 'array?',
  players: 'array',
  guests: 'array',
  connections: 'array',
  gamePort: 'integer',
  lastUpdate: 'time',
  errorCode: 'string?',
  stage: 'string?',
  hint: 'string?',
  hintCode: 'string?',
  network: 'object?',
  ports: 'array',
}

const PROFILE_SHAPE = { name: 'string', machineId: 'string', vendor: 'string', kind: 'string' }
/** Of GET /state. */
export const LAUNCHER_PROFILE_SHAPE = { ...PROFILE_SHAPE, machine_id: 'string' }

/** The id that others see of the player with this one in the settings. */
export function idIn(room: unknown, lastingId: unknown): string {
  const { code } = readRoomCode(String(room))
  if (!code) throw new Error(`no room code: ${String(room)}`)
  return playerIdIn(code.text, String(lastingId))
}

/** A profile as GET /state shows it. */
export const asLaunchersSee = (profile: ShownProfile) => ({ ...profile, machine_id: profile.machineId })

export const ROOM_CODE = /^U\/[0-9A-HJ-NP-Z]{4}(-[0-9A-HJ-NP-Z]{4}){3}$/
/** A valid code that nobody hosts. */
export const NOBODYS_CODE = 'U/YNZE-U61D-2206-HXRG'
export const NOBODYS_PRIVATE_CODE = 'L/0123-4567-89AB-CDEH'
