import { createHash } from 'node:crypto'
import { cleanText } from '@lantern-room/base'
import { parseJson } from '@lantern-room/base/bytes'
import { z } from 'zod'
import { isPlainList, MAX_ROOM_NODES, parseNode } from './nodeAddress'
import { MAX_NAME } from './profiles'
import { readRoomCode } from './readRoomCode'
import type { RoomCode } from './roomCode'
import { type HostIdentity, verifyInvitation } from './scaffolding/identity'

/**
 * An invitation is a link whose fragment, which no server sees, is `1.<body>.<proof>`: JSON and the host's key with its signature,
 * both in base64url. 1 is the version.
 * @see docs/room-protocol.md, "Invitation"
 */
export type Invitation = {
  readonly room: RoomCode
  /** Where the host is met, beside the configured nodes. Lists only by https, or a stranger's link could send a GET into the guest's LAN. */
  readonly nodes: readonly string[]
  readonly gameVersion: string | undefined
  readonly mods: ModList | undefined
  /** The name of the player who hosts. */
  readonly name: string | undefined
  /** The host's public key for this room: only a host with this key is joined. */
  readonly hostKey: Uint8Array
}

export type ModList = {
  readonly count: number
  /** Equal for equal sets of names. */
  readonly digest: string
  /** In order; undefined where the invitation leaves them out, because they are too many for a link. */
  readonly names: readonly string[] | undefined
}

export const DAMAGED_INVITATION =
  'The invitation is damaged: copy the whole link again, from lantern-room: to its end.'

const SCHEME = 'lantern-room:'
/** The link may stand inside other text. */
const LINK = /(?:lantern-room:|https:\/\/[^\s#<>"]+)#?1\.([\w-]+)\.([\w-]+)/i
/** Longer than any invitation. */
const MAX_TEXT = 10_000
const MAX_VERSION = 64
/** Bytes of all names of mods together, as JSON: a chat message takes a link of 2,000, a QR code one of 2,900. */
const MAX_MODS_SIZE = 1200
const MAX_MOD_NAME = 256

/**
 * The name that a mod has in every version, as far as its file tells: `sodium-fabric` for `[钠] sodium-fabric-0.5.8+mc1.20.jar`.
 * @example modNameOf('jei-1.20.1-forge-15.2.jar') // 'jei'
 */
export function modNameOf(fileName: string): string {
  const plain = fileName.replace(/\.jar$/i, '').replace(/^[[【][^\]】]*[\]】]\s*/, '')
  return plain.replace(/[-_+ ]+(v|mc)?\d.*$/i, '') || fileName
}

/**
 * The names as they are read from a link, in order, without their case and double ones.
 * @example modListOf(['Sodium', 'sodium', 'jei']).names // ['jei', 'sodium']
 */
export function modListOf(names: readonly string[]): ModList {
  const sorted = [...new Set(names.map((name) => cleanText(name, MAX_MOD_NAME).toLowerCase()))].sort()
  const digest = createHash('sha256').update(sorted.join('\n')).digest('base64url').slice(0, 12)
  return { count: sorted.length, digest, names: sorted }
}

/**
 * @param page where the link may be opened by who has no launcher, such as `https://play.example.com/join`
 * @returns the links: `lantern-room:#…`, and the same at a page when there is one
 * @example createInvitation({ room, nodes, gameVersion, mods, name }, createHostIdentity(secret, room), page).link
 */
export function createInvitation(
  { room, nodes, gameVersion, mods, name }: Omit<Invitation, 'hostKey'>,
  identity: Pick<HostIdentity, 'signInvitation'>,
  page: string | undefined,
): { readonly link: string; readonly webLink: string | undefined } {
  const content = {
    c: room.text,
    n: nodes,
    g: gameVersion,
    m: mods && [mods.count, mods.digest],
    l: sentNames(mods),
    p: name,
  }
  const body = new TextEncoder().encode(JSON.stringify(content))
  const fragment = `1.${toText(body)}.${toText(identity.signInvitation(body))}`
  return {
    link: `${SCHEME}#${fragment}`,
    webLink: page === undefined ? undefined : `${page}#${fragment}`,
  }
}

/**
 * Finds an invitation in typed or pasted text.
 * @returns undefined when there is none; `damaged` when it is cut, changed, or of a kind that this program does not know
 * @example const invitation = readInvitation(text) // undefined, 'damaged', or { room, nodes, hostKey, … }
 */
export function readInvitation(text: string): Invitation | 'damaged' | undefined {
  const plain = text.slice(0, MAX_TEXT)
  const [, bodyText, proofText] = LINK.exec(plain) ?? []
  if (bodyText === undefined || proofText === undefined) {
    return plain.toLowerCase().includes(SCHEME) ? 'damaged' : undefined
  }
  const body = fromText(bodyText)
  const hostKey = verifyInvitation(fromText(proofText), body)
  const checked = wire.safeParse(parseJson(body))
  const { code } = readRoomCode(checked.success ? checked.data.c : '')
  if (!hostKey || !checked.success || !code) return 'damaged'
  const { n, g, m, l, p } = checked.data
  return {
    room: code,
    nodes: n.flatMap((node) => parseNode(node) ?? []).filter((node) => !isPlainList(node)),
    gameVersion: shown(g, MAX_VERSION),
    mods: m && { count: m[0], digest: m[1], names: l?.map((modName) => cleanText(modName, MAX_MOD_NAME)) },
    name: shown(p, MAX_NAME),
    hostKey,
  }
}

/**
 * Where the guest's game differs from the host's; values that either side leaves out are not compared.
 * @example differencesOf({ gameVersion: '1.21' }, { gameVersion: '1.20' }) // ['gameVersion']
 */
export function differencesOf(
  { gameVersion, mods }: Pick<Invitation, 'gameVersion' | 'mods'>,
  own: Pick<Invitation, 'gameVersion' | 'mods'>,
): readonly ('gameVersion' | 'mods')[] {
  const areVersions = gameVersion !== undefined && own.gameVersion !== undefined
  const areMods = mods !== undefined && own.mods !== undefined
  return [
    ...(areVersions && gameVersion !== own.gameVersion ? (['gameVersion'] as const) : []),
    ...(areMods && (mods.digest !== own.mods?.digest || mods.count !== own.mods?.count)
      ? (['mods'] as const)
      : []),
  ]
}

/**
 * What each side lacks of the other's mods; undefined where one of them does not name its own.
 * @example missingModsOf(invitation.mods, modListOf(own))?.here // what the host has and we have not
 */
export function missingModsOf(
  host: ModList | undefined,
  own: ModList | undefined,
): { readonly here: readonly string[]; readonly there: readonly string[] } | undefined {
  if (!host?.names || !own?.names) return undefined
  const [hosts, owns] = [new Set(host.names), new Set(own.names)]
  return {
    here: host.names.filter((name) => !owns.has(name)),
    there: own.names.filter((name) => !hosts.has(name)),
  }
}

const wire = z.object({
  c: z.string(),
  n: z.array(z.string()).max(MAX_ROOM_NODES),
  g: z.string().optional(),
  m: z.tuple([z.int().min(0).max(100_000), z.string().max(64)]).optional(),
  l: z.array(z.string().max(MAX_MOD_NAME)).max(MAX_MODS_SIZE).optional(),
  p: z.string().optional(),
})

function sentNames(mods: ModList | undefined): readonly string[] | undefined {
  const size = new TextEncoder().encode(JSON.stringify(mods?.names ?? [])).length
  return size <= MAX_MODS_SIZE ? mods?.names : undefined
}

function shown(text: string | undefined, max: number): string | undefined {
  return cleanText(text ?? '', max) || undefined
}

function toText(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** @returns no bytes for anything but base64url */
function fromText(text: string): Uint8Array {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    return Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array(0)
  }
}
