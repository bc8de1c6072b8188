import type { RemotePeer } from '@lantern-room/easytier'
import { rpcMethods } from '@lantern-room/easytier/wire'
import * as assert from 'uvu/assert'
import { decodeRouteSync } from '#internal/easytier/wire/routeSync'
import { hexOf } from '#support/network/easytierVectors'
import { conversationOf, type Meaning, type MeaningOf, ofKind } from './packetMeaning'
import { nativeMeanings, type RecordedSession, readSession } from './recordedSession'
import { ownRecord, type Replay, replaySession } from './sessionReplay'

/** Replays a recorded session, in which ours has to say what was said, and to see what was seen. */
export async function sayTheSame(name: string) {
  const session = readSession(name)
  const replay = await replaySession(session)
  const ours = replay.said.flatMap(({ meaning }) => meaning ?? [])
  const real = nativeMeanings(session)
  sameHandshakes(ours, real)
  samePongs(replay.said, replay.pings)
  sameAnswers(ours, real, session.links[0]?.peerId ?? 0)
  sameSync(session, ours, real)
  assert.equal(talk(ours), talk(real))
  if (session.role === 'guest') assert.is(hexOf(replay.echo), hexOf(talk(real).data))
  samePeers(session, replay.peers)
  assert.is(replay.timersLeft, 0)
  return { session, replay, ours, real }
}

/** Its handshake is the first that it says, and the same byte for byte in its fields. */
function sameHandshakes(ours: readonly Meaning[], theirs: readonly Meaning[]): void {
  assert.is(ours[0]?.kind, 'handshake')
  const [mine, real] = [ours, theirs].map((all) =>
    ofKind(all, 'handshake').map(({ packet, hello }) => ({ ...header(packet), hello: { ...hello } })),
  )
  assert.equal(mine, real)
}

function samePongs(
  said: readonly { readonly bytes: Uint8Array; readonly meaning: Meaning | undefined }[],
  pings: readonly Uint8Array[],
): void {
  const pongs = said.filter(({ meaning }) => meaning?.kind === 'pong')
  assert.ok(pings.length > 0)
  assert.equal(
    pongs.map(({ bytes }) => hexOf(bytes)),
    pings.map((ping) => hexOf(Uint8Array.from(ping, (byte, at) => (at === 8 ? 5 : byte)))),
  )
}

/**
 * Every call of the real program was answered, once and in the order of its caller's calls, by what means the same. Ours answers a
 * call that overtakes its caller's record once that has come, so answers to others may come before it.
 * @param firstPeer of the only session of route sync whose id can be given to ours
 */
function sameAnswers(ours: readonly Meaning[], theirs: readonly Meaning[], firstPeer: number): void {
  // A real server of punching answers after its last datagram, ours after a second at most.
  const inOrder = (all: readonly Meaning[]) => {
    const answers = ofKind(all, 'answer')
    const isLate = ({ name }: MeaningOf<'answer'>) => name === 'sendPunchPacketCone'
    return [...answers.filter((one) => !isLate(one)), ...answers.filter(isLate)].sort(
      (one, other) => one.rpc.to - other.rpc.to,
    )
  }
  const [mine, real] = [inOrder(ours), inOrder(theirs)]
  assert.ok(real.length > 0)
  const about = (answer: MeaningOf<'answer'>) => answerAbout(answer, firstPeer)
  assert.equal(mine.map(about), real.map(about))
  for (const [at, answer] of real.entries()) {
    if (answer.isSealed) assert.is(mine[at]?.isSealed, true)
  }
}

function answerAbout({ packet, rpc, name, answer }: MeaningOf<'answer'>, firstPeer: number) {
  const { transactionId, method, from, to } = rpc
  const response = answer.kind === 'response' ? rpcMethods[name].response.decode(answer.response) : undefined
  // Addresses are each machine's own. Who is near to whom is not kept by ours: an empty map is an answer, too.
  const isOwn = ['getGlobalPeerMap', 'getIpList', 'selectPunchListener'].includes(name)
  const isOfOtherSession = name === 'syncRouteInfo' && to !== firstPeer
  const meaning = isOwn || isOfOtherSession ? response !== undefined : { ...response }
  return { ...header(packet), transactionId, method, rpcFrom: from, rpcTo: to, kind: answer.kind, meaning }
}

/** The first call has the recorded numbers; in the end the other side knows the same of us. */
function sameSync(session: RecordedSession, ours: readonly Meaning[], theirs: readonly Meaning[]): void {
  const [mine, real] = [ours, theirs].map((all) =>
    ofKind(all, 'call').flatMap(({ name, packet, rpc, isSealed, request }) => {
      const sync = name === 'syncRouteInfo' ? decodeRouteSync(request) : undefined
      return sync
        ? [{ header: header(packet), id: rpc.transactionId, method: rpc.method, isSealed, sync }]
        : []
    }),
  )
  assert.ok(mine && real)
  const [first, realFirst] = [mine[0], real[0]]
  assert.ok(first && realFirst)
  assert.is(first.id, session.fixed.first_transaction_id)
  for (const field of ['header', 'id', 'method', 'isSealed'] as const)
    assert.equal(first[field], realFirst[field])
  for (const { sync, header } of mine) {
    if (header.to === first.header.to) assert.is(sync.sessionId, session.fixed.sync_session_ids[0])
    assert.is(sync.from, session.fixed.peer_id)
    assert.is(sync.isInitiator, true)
    // Never a record of the one who is told.
    for (const { peerId } of sync.records) assert.is.not(peerId, header.to)
  }
  const own = first.sync.records.find(({ peerId }) => peerId === session.fixed.peer_id)
  const record = ownRecord(session)
  assert.ok(own)
  assert.ok(own.version >= 1)
  for (const field of ['peerId', 'routeId', 'instanceId', 'hostname', 'address', 'networkLength'] as const)
    assert.equal(own[field], record[field], field)
  for (const field of ['isSharedNode', 'avoidsRelay', 'takesKcp', 'needsDirect'] as const)
    assert.is(own.features[field], record.features[field], field)
  const told = [mine, real].map((calls) => {
    const rows = calls
      .flatMap(({ sync }) => sync.rows)
      .filter(({ peerId }) => peerId === session.fixed.peer_id)
    return rows.sort((one, other) => one.version - other.version).at(-1)?.connected
  })
  assert.equal(told[0], told[1])
}

function talk(meanings: readonly Meaning[]) {
  return conversationOf(ofKind(meanings, 'stream'))
}

/** At some moment the same peers were there, on the same paths. */
function samePeers(session: RecordedSession, peers: Replay['peers']): void {
  const seen = peers.map(listed)
  const wanted = JSON.stringify(sorted(session.peers))
  assert.ok(
    seen.some((list) => JSON.stringify(list) === wanted),
    JSON.stringify(seen.at(-2)),
  )
  if (session.events.at(-1)?.what.kind === 'closed') assert.equal(seen.at(-1), [])
}

/** As the native side listed them. */
function listed(peers: readonly RemotePeer[]) {
  return sorted(
    peers.map(({ record, connection }) => ({
      id: record.peerId,
      hostname: record.hostname,
      ipv4: record.address ?? null,
      path: connection ? 'p2p' : 'relay',
      shared: record.features.isSharedNode,
    })),
  )
}

/** `forwards` is what one hop adds; byte 11 is anything. */
function header({ from, to, type, forwards }: MeaningOf<'answer'>['packet']) {
  return { from, to, type, forwards }
}

function sorted<T extends { readonly id: number }>(peers: readonly T[]): T[] {
  return [...peers].sort((one, other) => one.id - other.id)
}
