import type { ByteStream } from '@lantern-room/base/bytes'
import type { GuestConnection } from '@lantern-room/room/network'
import { encodePlayer, encodeRequest } from '#support/room/protocolFrames'

/** What a greedy member asks for. */
export type Greed = {
  /** Made-up players. */
  readonly players: number
  /** Idle connections of the room protocol. */
  readonly connections: number
  /** Idle streams to the world. */
  readonly streams: number
  /** Flows of one datagram each. */
  readonly flows: number
  /** Names sent by one connection at once. */
  readonly renames: number
}

/** Each was enough to lock everyone else out. */
export const EVERYTHING: Greed = { players: 63, connections: 64, streams: 256, flows: 200, renames: 1000 }

/** A member that tries every attack on the room at once, and again whatever was refused. */
export type GreedyMember = {
  /** One round of all attacks; refusals are what it expects. */
  round(): Promise<void>
  close(): void
}

/**
 * @param name tells this member's made-up players from the others'
 * @param victim the machine id of another player, whom it renames
 */
export function createGreedyMember(
  connection: GuestConnection,
  target: { readonly worldPort: number; readonly victim: string },
  name: string,
  greed: Greed = EVERYTHING,
): GreedyMember {
  const open = new Set<ByteStream>()
  const flows = new Set<{ close(): void }>()
  let isClosed = false

  const dial = async (port: number): Promise<ByteStream | undefined> => {
    const stream = await connection.dial(port).catch(() => undefined)
    if (!stream) return undefined
    if (isClosed) stream.destroy()
    else open.add(stream)
    void stream.closed.then(() => open.delete(stream))
    return stream
  }
  const times = <T>(count: number, act: (at: number) => T) =>
    Array.from({ length: count }, (_, at) => act(at))
  const machine = name.replaceAll(' ', '-')
  const madeUp = (at: number) => ({ name: `${name} ${at}`, machineId: `${machine}-${at}` })
  const say = async (players: readonly { name: string; machineId: string }[]) => {
    const stream = await dial(connection.host.roomPort)
    for (const player of players) {
      const body = encodePlayer({ ...player, vendor: 'Greedy 1' })
      await stream?.write(encodeRequest({ kind: 'c:player_ping', body })).catch(() => undefined)
    }
  }
  const sendDatagram = () => {
    const flow = connection.datagrams(target.worldPort)
    flows.add(flow)
    flow.send(Uint8Array.of(1))
  }

  return {
    async round() {
      times(greed.flows, sendDatagram)
      await Promise.all([
        ...times(greed.connections, () => dial(connection.host.roomPort)),
        ...times(greed.streams, () => dial(target.worldPort)),
      ])
      // Later than the idle ones, which would take the places of these.
      await Promise.all([
        say(times(greed.players, madeUp)),
        say(times(greed.renames, (at) => ({ name: `renamed ${at}`, machineId: target.victim }))),
        say(times(greed.renames, (at) => ({ name: `${name} ${at}`, machineId: `${machine}-0` }))),
      ])
    },
    close() {
      isClosed = true
      for (const stream of open) stream.destroy()
      for (const flow of flows) flow.close()
    },
  }
}
