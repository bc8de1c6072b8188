import { parseJson } from '#core/bytes'
import { RELAY_REASON_CODES, type RelayReason } from '../relayReasons'
import { type LauncherState, type Role, STATE_OF } from '../service/stages'

/** What happened to the connections of this machine. Shared nodes and players are numbered, never named. */
export type LinkEvent = {
  /** ISO 8601, UTC. */
  readonly at: string
} & LinkChange

export type LinkChange =
  | { readonly kind: 'state'; readonly state: LauncherState; readonly role: Role | null }
  /** A shared node was connected, or lost. */
  | { readonly kind: 'node'; readonly node: number; readonly isConnected: boolean }
  /** A player is reached over another path; null: no longer. */
  | {
      readonly kind: 'player'
      readonly player: number
      readonly path: 'direct' | 'lan' | 'relay' | null
      readonly relayed: RelayReason | null
    }

/** The message of the log entries that hold a link event each, in their fields. */
export const LINK_MESSAGE = 'link'

/** @returns the link events among the lines of a log, in their order; damaged ones are left out */
export function readLinkEvents(lines: readonly string[]): readonly LinkEvent[] {
  return lines.flatMap((line) => {
    const [, at = '', json = ''] = LINK_LINE.exec(line) ?? []
    const change = readChange(parseJson(json))
    return change ? [{ at, ...change }] : []
  })
}

const LINK_LINE = new RegExp(`^(\\S+) debug ${LINK_MESSAGE} (\\{.*\\})$`)

function readChange(value: unknown): LinkChange | undefined {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return undefined
  const fields: Readonly<Record<string, unknown>> = { ...value }
  if (fields.kind === 'state') return readState(fields)
  if (fields.kind === 'node') return readNode(fields)
  return fields.kind === 'player' ? readPlayer(fields) : undefined
}

type Fields = Readonly<Record<string, unknown>>

function readState({ state, role }: Fields): LinkChange | undefined {
  const known = Object.values(STATE_OF).find((one) => one === state)
  const isRole = role === 'host' || role === 'guest' || role === null
  return known && isRole ? { kind: 'state', state: known, role } : undefined
}

function readNode({ node, isConnected }: Fields): LinkChange | undefined {
  if (typeof node !== 'number' || typeof isConnected !== 'boolean') return undefined
  return { kind: 'node', node, isConnected }
}

function readPlayer({ player, path, relayed }: Fields): LinkChange | undefined {
  const known = PATHS.find((one) => one === path)
  if (typeof player !== 'number' || known === undefined) return undefined
  return {
    kind: 'player',
    player,
    path: known,
    relayed: RELAY_REASON_CODES.find((code) => code === relayed) ?? null,
  }
}

const PATHS = ['direct', 'lan', 'relay', null] as const
