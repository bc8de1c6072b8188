import type { ByteStream } from '@lantern-room/base/bytes'
import { Network } from '@lantern-room/easytier'
import { streamFlags } from '#internal/easytier/streams/streamPacket'
import { formatIpv4 } from '#internal/easytier/wire/addresses'
import { encodePong } from '#internal/easytier/wire/packet'
import { decodeRouteSync } from '#internal/easytier/wire/routeSync'
import { echoAll } from '#support/network/byteStreams'
import { createFakeClock } from '#support/network/fakeClock'
import { playerSettings } from '#support/network/playerSettings'
import { createFarEnd, createReplayNet, type FarEnd } from '#support/network/replayTransports'
import { createPrng } from '#support/values/prng'
import { createMeaningReader, type Meaning, type MeaningOf, ofKind } from './packetMeaning'
import { createPunchLine, type PunchLine, STUN_SERVERS } from './punchLine'
import { realAnswers, realCall } from './realAnswers'
import { nativeMeanings, type RecordedEvent, type RecordedSession } from './recordedSession'

/** What our peer did in the place of the native one. */
export type Replay = Awaited<ReturnType<typeof replaySession>>

/**
 * Plays what the real program said, each at its time, to a peer of ours that draws the recorded ids. Answers to its calls are
 * those of the recording, under the numbers that our calls have. Pings have their own pace, so they are answered at once.
 */
export async function replaySession(session: RecordedSession) {
  const { identity, role, fixed, servicePort, events } = session
  const clock = createFakeClock()
  const stopping = new AbortController()
  const read = createMeaningReader(identity)
  const said: { bytes: Uint8Array; meaning: Meaning | undefined }[] = []
  const pings: Uint8Array[] = []
  const echo: Uint8Array[] = []
  const far: FarEnd = createFarEnd((bytes) => heard(bytes, far.hand))
  const isPunching = session.links.some(({ carrier }) => carrier === 'udp')
  const punching: PunchLine = createPunchLine(
    session,
    clock,
    () => net.sockets,
    (bytes) => heard(bytes, punching.handPacket),
  )
  const answerTo = realAnswers(session, punching.answerOf)
  const net = createReplayNet({ dial: () => far.link, onDatagram: punching.onDatagram })
  const peer = await Network.open(
    {
      ...playerSettings(1),
      identity,
      lan: { key: 'lan', announces: role === 'host' },
      clock,
      version: '2.6.4',
      hostname: fixed.hostname,
      address: ownRecord(session).address ?? '',
      stunServers: isPunching ? STUN_SERVERS : [],
      nodes: events[0]?.isNative ? ['tcp://192.0.2.9:11010'] : [],
      transports: net.transports,
      randomBytes: drawing(session),
      wantsDirect: () => isPunching && role === 'guest',
      acceptsTcp: (port) => port === servicePort,
      onStream: (incoming) => void echoAll(incoming),
    },
    stopping.signal,
  )
  await clock.advance(0)
  const act = createGuestApplication(peer, (bytes) => echo.push(bytes))
  const peers: ReturnType<Network['peers']>[] = []
  for (const event of events) {
    await clock.advance(Math.max(0, event.at - clock.now()))
    play(event)
    await clock.advance(0)
    peers.push(peer.peers())
  }
  await clock.advance(500)
  peers.push(peer.peers())
  stopping.abort(new Error('the replay is over'))
  await clock.advance(0)
  await peer.closed
  return {
    /** All that it said, in order. */
    said,
    /** Pings that the real program sent, as they came. */
    pings,
    /** Who was there: after each event, and half a second after the last. */
    peers,
    /** What came back over the stream that a guest opened. */
    echo: Buffer.concat(echo),
    /** What left our UDP sockets towards the real program, beside packets. */
    datagrams: punching.sent,
    /** Of the clock, after everything was stopped. */
    timersLeft: clock.timers,
  }

  function play(event: RecordedEvent): void {
    const { isNative, link, what } = event
    if (what.kind === 'closed') far.end()
    else if (isNative) playNative(what)
    else if (what.kind === 'datagram') punching.hand(what)
    else if (what.meaning) {
      if (event === events[0]) net.call(far.link)
      hand(link, what.bytes, what.meaning)
    }
  }

  function playNative(what: RecordedEvent['what']): void {
    if (role === 'guest' && what.kind === 'packet' && what.meaning?.kind === 'stream') act(what.meaning)
  }

  function heard(bytes: Uint8Array, back: (bytes: Uint8Array) => void): void {
    const meaning = read(bytes)
    said.push({ bytes, meaning })
    if (meaning?.kind === 'ping') clock.after(0.1, () => back(encodePong(bytes)))
    if (meaning?.kind === 'call' || meaning?.kind === 'answer') punching.said(meaning)
    if (meaning?.kind !== 'call') return
    const answer = answerTo(meaning)
    if (answer) clock.after(Math.max(0.1, answer.at - clock.now()), () => answer.packets.forEach(back))
  }

  function hand(link: string, bytes: Uint8Array, meaning: Meaning): void {
    // Those belong to what ours did not send in just this way.
    if (meaning.kind === 'pong' || meaning.kind === 'answer') return
    if (meaning.kind === 'ping') pings.push(bytes)
    const isUdp = session.links.some((one) => one.link === link && one.carrier === 'udp')
    const packets =
      meaning.kind === 'call'
        ? realCall(session, meaning, punching.requestOf(meaning.name, meaning.request), bytes)
        : [bytes]
    packets.forEach(isUdp ? punching.handPacket : far.hand)
  }
}

/** The last record that the native side told of itself. */
export function ownRecord(session: RecordedSession) {
  const record = ofKind(nativeMeanings(session), 'call')
    .flatMap(({ name, request }) =>
      name === 'syncRouteInfo' ? (decodeRouteSync(request)?.records ?? []) : [],
    )
    .findLast(({ peerId }) => peerId === session.fixed.peer_id)
  if (!record) throw new Error('the native side told nothing of itself')
  return record
}

/**
 * The random numbers that make our peer the recorded one. They are told apart by their size: a peer draws its id, the number
 * before its first call and the one before its first stream as four bytes each; route id and the id of its first session as
 * eight; its instance id as sixteen. All others do not matter.
 */
function drawing({ fixed }: RecordedSession): (size: number) => Uint8Array {
  const scripted: Readonly<Record<number, Uint8Array[]>> = {
    4: [fixed.peer_id, (fixed.kcp_conv ?? 1) - 1, Number(fixed.first_transaction_id) - 1].map((number) =>
      bigEndian(BigInt(number), 4),
    ),
    8: [fixed.peer_route_id, fixed.sync_session_ids[0] ?? '0'].map((number) => bigEndian(BigInt(number), 8)),
    16: [bigEndian(BigInt(`0x${fixed.inst_id.$uuid.replaceAll('-', '')}`), 16)],
  }
  const chance = createPrng(1)
  return (size) => scripted[size]?.shift() ?? chance.bytes(size)
}

function bigEndian(value: bigint, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => Number((value >> BigInt(8 * (size - 1 - at))) & 255n))
}

/**
 * Does to our peer what the application of the native guest did to its own: opens the stream, writes to it and ends it.
 * @param onEcho what comes back over the stream
 * @returns takes each stream packet that left the native guest
 */
function createGuestApplication(
  peer: Network,
  onEcho: (bytes: Uint8Array) => void,
): (meaning: MeaningOf<'stream'>) => void {
  let stream: ByteStream | undefined
  return ({ route, segments, packet, stream: header }) => {
    const data = segments.map((segment) => segment.data).filter(({ length }) => length > 0)
    if (route) {
      const to = { address: formatIpv4(route.destination.address), port: route.destination.port }
      void peer.dial(packet.to, to).then(async (opened) => {
        stream = opened
        for (let bytes = await opened.read(); bytes; bytes = await opened.read()) onEcho(bytes)
      })
    } else if (data.length > 0) void stream?.write(Buffer.concat(data))
    else if (header.flags & streamFlags.fin) void stream?.end()
  }
}
