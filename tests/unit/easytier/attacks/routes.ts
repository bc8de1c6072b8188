import type { PeerRecord } from '@lantern-room/easytier/wire'
import { encodePeerRecord } from '#internal/easytier/wire/peerRecord'
import type { Row } from '#internal/easytier/wire/routeSync'
import { encodeRouteSyncAs } from '../wire/encodeRouteSyncAs'
import type { AttackContext } from './attackContext'

const MAX_UINT32 = 0xffffffff

/** Members that nobody has met, with versions that jump, and rows that run in circles among them. */
export function wildRecords(context: AttackContext): void {
  const { chance } = context
  const ids = Array.from({ length: chance.integer(1, 60) }, () => chance.integer(1, MAX_UINT32))
  const rows = ids.map((peerId, at): Row => {
    const next = ids[(at + 1) % ids.length] ?? peerId
    return { peerId, version: chance.integer(1, MAX_UINT32), connected: [next, context.ownId] }
  })
  const own = { peerId: context.ownId, version: chance.integer(1, MAX_UINT32), connected: ids }
  tell(
    context,
    ids.map((peerId) => record(context, { peerId })),
    [own, ...rows],
  )
}

/** A crowd that fills the table of who believes in it, so that no place is left for a friend who comes later. */
export function foreignCrowd(context: AttackContext): void {
  const { chance } = context
  const ids = Array.from({ length: 250 }, () => chance.integer(1, MAX_UINT32))
  const records = ids.map((peerId) => record(context, { peerId, version: 1, hostname: 'guest' }))
  const crowd = ids.map((peerId): Row => ({ peerId, version: 1, connected: [context.ownId] }))
  for (let at = 0; at < ids.length; at += 60) {
    const own = { peerId: context.ownId, version: MAX_UINT32, connected: ids.slice(at, at + 60) }
    tell(context, records.slice(at, at + 60), [own, ...crowd.slice(at, at + 60)])
  }
}

/**
 * What a member says of itself, in another's words and with a version that it does not have. Shared nodes are told of
 * all members, members of themselves: what one tells of another that is no neighbour has to be believed.
 */
export function ourOwnRecord(context: AttackContext): void {
  const { chance } = context
  tellEach(context, (ids) => ({
    records: ids.map((peerId) =>
      record(context, { peerId, version: chance.pick([1, 2 ** 31, MAX_UINT32 - 1, MAX_UINT32]) }),
    ),
    rows: [],
  }))
}

/** Rows of others, each time other ones, with the highest versions. */
export function foreignRows(context: AttackContext): void {
  const { chance } = context
  const known = context.targets()
  tellEach(context, (ids) => ({
    records: [],
    rows: ids.map((peerId) => ({
      peerId,
      version: chance.pick([2, 1000, MAX_UINT32]),
      connected: known.filter(() => chance.isTrue(0.5)),
    })),
  }))
}

export function hugeRecord(context: AttackContext): void {
  const { chance } = context
  const size = chance.pick([5000, 16_000, 17_000, 50_000])
  tell(context, [record(context, { peerId: chance.integer(1, MAX_UINT32), hostname: 'x'.repeat(size) })], [])
}

function record({ chance }: AttackContext, fixed: Partial<PeerRecord>): Uint8Array {
  return encodePeerRecord({
    peerId: 1,
    version: chance.integer(0, MAX_UINT32),
    routeId: String(chance.integer(0, 2 ** 52)),
    instanceId: undefined,
    hostname: chance.pick(['guest', '', '\u0000', 'x'.repeat(300)]),
    address: chance.pick([undefined, '0.0.0.0', '10.144.144.1', '255.255.255.255']),
    networkLength: 24,
    udpNatType: chance.integer(0, 12),
    tcpNatType: chance.integer(0, 12),
    updatedAtUnixMs: chance.pick([0, 1e12, 8e15]),
    programVersion: chance.pick(['', '2.6.4', '9'.repeat(200)]),
    features: {
      isSharedNode: chance.isTrue(0.2),
      avoidsRelay: chance.isTrue(0.5),
      takesKcp: chance.isTrue(0.5),
      relaysNoKcp: chance.isTrue(0.5),
      takesRowLists: chance.isTrue(0.5),
      needsDirect: chance.isTrue(0.5),
      refusesDirect: chance.isTrue(0.5),
    },
    ...fixed,
  })
}

type News = { readonly records: readonly Uint8Array[]; readonly rows: readonly Row[] }

function tell(context: AttackContext, records: readonly Uint8Array[], rows: readonly Row[]): void {
  for (const { peerId } of context.node.connections.established()) tellOne(context, peerId, { records, rows })
}

/** @param newsOf of those that the listener hears something about */
function tellEach(context: AttackContext, newsOf: (about: readonly number[]) => News): void {
  for (const { peerId, isSharedNode } of context.node.connections.established()) {
    tellOne(context, peerId, newsOf(isSharedNode ? context.members() : [peerId]))
  }
}

function tellOne({ node, chance, ownId }: AttackContext, peerId: number, news: News): void {
  const request = encodeRouteSyncAs({
    from: ownId,
    sessionId: String(chance.integer(1, 2 ** 52)),
    isInitiator: chance.isTrue(0.5),
    ...news,
    rowsAs: news.rows.length < 100 && chance.isTrue(0.5) ? 'bitmap' : 'list',
  })
  if (request.length < 60_000) node.call(peerId, 'syncRouteInfo', request, 2000, () => {})
}
