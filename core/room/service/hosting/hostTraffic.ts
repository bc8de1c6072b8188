import type { Log } from '@lantern-room/base'
import type { ByteStream, DatagramFlow } from '@lantern-room/base/bytes'
import { type Denial, Shares, type Standing } from '@lantern-room/base/limits'
import type { LocalNet } from '@lantern-room/game/ports'
import type { HostIdentity, RoomCode } from '@lantern-room/protocol'
import type { OnOverShare } from '@lantern-room/protocol/server'
import type { HostConnection, HostOptions, Incoming, RoomNetwork } from '../../roomNetwork'
import type { Attempt } from '../state/attempt'
import { pipe, pipeDatagrams } from '../streams/pipe'
import type { HostRequest } from './hostRequest'
import type { HostServer } from './hostServer'
import type { SharedPorts } from './sharedPorts'

/** For one member, and for all together: several times what a large modpack with its map and voice mods needs. */
const MAX_STREAMS = { perOwner: 64, total: 512 }

type HostNetworkOptions = {
  readonly roomNetwork: RoomNetwork
  readonly identityOf: (room: RoomCode) => Pick<HostIdentity, 'credentials'>
  readonly localNet: LocalNet
  readonly log: Log
  readonly attempt: Attempt
  readonly request: Pick<HostRequest, 'room' | 'friendRelay' | 'direct'>
  readonly roomPort: number
  readonly nodes: readonly string[]
  readonly ports: SharedPorts
}

/** Opens the network of a hosted room, whose members reach the room protocol, the extra ports and the world. */
export function openHostNetwork(server: HostServer, options: HostNetworkOptions): Promise<HostConnection> {
  const { roomNetwork, identityOf, attempt, request, roomPort, nodes, ports } = options
  return roomNetwork.host({
    room: request.room,
    nodes,
    friendRelay: request.friendRelay,
    direct: request.direct,
    roomPort,
    signal: attempt.signal,
    exposed: ports.exposed.all(),
    credentials: identityOf(request.room).credentials,
    onOverShare: server.onNetworkOverShare,
    isSettled: server.control.admission.hasPlace,
    ...createHostTraffic(server, options),
  })
}

/** Leads the members' streams and flows to the room protocol, which is served without a socket, to extra ports, and to the world. */
function createHostTraffic(
  server: HostServer,
  options: HostNetworkOptions,
): Pick<HostOptions, 'onStream' | 'onFlow'> {
  const { attempt, roomPort, ports, localNet, log } = options
  const admitStream = createStreamShares(server.onOverShare, server.standing)
  return {
    onStream: (stream, from) => void serveStream(stream, from),
    onFlow: serveFlow,
  }

  async function serveStream(stream: ByteStream, { port, memberId }: Incoming): Promise<void> {
    if (port === roomPort) return serveRoom(server, attempt, stream, memberId)
    if (!server.control.mayReachWorld(memberId)) return stream.destroy()
    server.control.keep(memberId, true, stream.destroy, stream.closed)
    const target = targetOf(ports, port, 'tcp')
    if (!target || !admitStream(stream, memberId)) return stream.destroy()
    const { signal } = attempt
    try {
      attempt.hold(pipe(stream, await localNet.connect(target.port, signal, target.address), signal))
    } catch (cause) {
      stream.destroy()
      if (signal.aborted) return
      log.warn('a port of this machine refused a connection', { port: target.port, cause: String(cause) })
      ports.world.suspect(target.port)
    }
  }

  /** Other UDP than that to extra ports is of voice mods: it goes to the port of the same number as the world's. */
  function serveFlow(flow: DatagramFlow, { port, memberId }: Incoming): void {
    const target = targetOf(ports, port, 'udp')
    if (!target || !server.control.mayReachWorld(memberId)) {
      flow.close()
      return
    }
    server.control.keep(memberId, true, flow.close, flow.closed)
    pipeDatagrams(flow, localNet.openDatagrams(target.port, target.address))
  }
}

/** Members that wait to be let in, or were removed, may only speak the room protocol. */
function serveRoom({ server, control }: HostServer, attempt: Attempt, stream: ByteStream, memberId: string) {
  if (control.mayReachRoom(memberId)) {
    control.keep(memberId, false, stream.destroy, stream.closed)
    attempt.hold(server.serve(stream, memberId))
  } else stream.destroy()
}

/** Where it goes on this machine: to the extra port, and everything else to the world, at the address where that answers. */
function targetOf({ exposed, world }: SharedPorts, port: number, transport: 'tcp' | 'udp') {
  if (exposed.extra().some((extra) => extra[transport] === port)) return { port, address: undefined }
  const worldPort = world.port()
  return worldPort === undefined ? undefined : { port: worldPort, address: world.address() }
}

/**
 * The members' streams to the world and to extra ports, within the share of each.
 * @returns takes a stream in, until it closes; false when it has no place. It may close the newest stream of the member with
 * most.
 */
export function createStreamShares(
  onOverShare: OnOverShare,
  standing?: () => Standing<string>,
): (stream: ByteStream, memberId: string) => boolean {
  const shares = new Shares<string, ByteStream>(MAX_STREAMS, standing)
  return (stream, memberId) => {
    const onDenied = (who: string, denial: Denial) => onOverShare(who, 'streams', denial)
    const hasPlace = shares.place(memberId, stream, onDenied, (newest) => newest.destroy())
    if (hasPlace) void stream.closed.then(() => shares.remove(memberId, stream))
    return hasPlace
  }
}
