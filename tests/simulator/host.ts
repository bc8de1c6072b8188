import type { ByteStream, DatagramFlow } from '#core/byteStream'
import type { HostConnection } from '#core/room/ports'
import { testCredentials } from '#support/room/testCredentials'
import { createPlayer, describe, type Player } from './player'
import { GAME_PORT, type Home, ROOM_PORT, type SimulationContext } from './simulationContext'
import { answer } from './talk'

const MAX_STREAMS = 256 + 64
const MAX_FLOWS = 1024
const MAX_RECORDS = 256

/** Hosts a room: answers every stream by what the guest asked for, and every datagram by itself. */
export function createHostPlayer(place: SimulationContext, home: Home, name: string): Player {
  const { trace, room } = place
  let session: HostConnection | undefined
  let streams = 0
  let flows = 0

  return createPlayer(place, name, home, {
    async open(run) {
      const chance = place.chance.fork(`${name} talks ${run.number}`)
      const tools = { clock: home.clock, chance, violate: trace.violate, signal: run.signal }
      const opened = await home.roomNetwork(run.number).host({
        room,
        roomPort: ROOM_PORT,
        signal: run.signal,
        exposed: { tcp: [ROOM_PORT, GAME_PORT], udp: [GAME_PORT] },
        credentials: testCredentials(),
        onStream: (stream) => run.keep('stream', serve(stream)),
        onFlow: (flow) => run.keep('flow', echo(flow)),
      })
      session = opened
      void opened.closed.then(() => {
        if (session === opened) session = undefined
      })
      return opened

      async function serve(stream: ByteStream): Promise<void> {
        streams += 1
        try {
          await answer(stream, tools)
        } catch (error) {
          trace.note(`${name}: a stream broke: ${describe(error)}`)
          stream.destroy()
        }
        await stream.closed
        streams -= 1
      }
    },
    check() {
      const members = session?.members().length ?? 0
      const isOver = streams > MAX_STREAMS || flows > MAX_FLOWS || members > MAX_RECORDS
      if (isOver) trace.violate(`${name}: ${streams} streams, ${flows} flows, ${members} members`)
    },
    complaint: () => (session ? undefined : 'hosts no room'),
  })

  async function echo(flow: DatagramFlow): Promise<void> {
    flows += 1
    flow.onDatagram((bytes) => flow.send(bytes))
    await flow.closed
    flows -= 1
  }
}
