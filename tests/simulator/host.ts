import type { ByteStream, DatagramFlow } from '@lantern-room/base/bytes'
import type { HostConnection, Incoming } from '@lantern-room/room/network'
import { testCredentials } from '#support/room/testCredentials'
import { createHostedRoom, type HostedRoom } from '../unit/room/service/hosting/hostedRoom'
import { createPlayer, describe, type Player, type Run } from './player'
import { GAME_PORT, type Home, ROOM_PORT, type SimulationContext } from './simulationContext'
import { answer } from './talk'

const MAX_STREAMS = 256 + 64
const MAX_FLOWS = 512
const MAX_RECORDS = 256

export type HostPlayer = Player & {
  /** Whether this player is on the host's list. */
  lists(machineId: string): boolean
}

/**
 * Hosts a room: serves the room protocol, answers every stream to the world by what the guest asked for, and every
 * datagram by itself.
 */
export function createHostPlayer(place: SimulationContext, home: Home, name: string): HostPlayer {
  const { trace, room } = place
  let session: HostConnection | undefined
  let hosted: HostedRoom | undefined
  let streams = 0
  let flows = 0

  const player = createPlayer(place, name, home, {
    async open(run) {
      const chance = place.chance.fork(`${name} talks ${run.number}`)
      const tools = { clock: home.clock, chance, violate: trace.violate, signal: run.signal }
      const desk = openDesk(run)
      const opened = await home.roomNetwork(run.number).host({
        room,
        roomPort: ROOM_PORT,
        signal: run.signal,
        exposed: { tcp: [ROOM_PORT, GAME_PORT], udp: [GAME_PORT] },
        credentials: testCredentials(),
        onStream: serveStream,
        onFlow: (flow) => run.keep('flow', echo(flow)),
      })
      session = opened
      void opened.closed.then(() => {
        if (session === opened) session = undefined
      })
      return opened

      function serveStream(stream: ByteStream, { port, memberId }: Incoming): void {
        if (port === ROOM_PORT) run.keep('room protocol', desk.serveProtocol(stream, memberId))
        else if (desk.admitToWorld(stream, memberId)) run.keep('stream', serve(stream))
        else stream.destroy()
      }

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
      for (const problem of hosted?.problems() ?? []) trace.violate(`${name}: ${problem}`)
    },
    complaint: () => (session ? undefined : 'hosts no room'),
  })

  return Object.assign(player, { lists: (machineId: string) => hosted?.lists(machineId) === true })

  function openDesk(run: Run): HostedRoom {
    hosted = createHostedRoom({
      clock: home.clock,
      log: trace.log(`${name}/${run.number} room`),
      isConnected: (memberId) => session?.members().some(({ id }) => id === memberId) === true,
      onOverShare(memberId, _share, denial) {
        session?.noteOverShare(memberId, denial)
      },
      signal: run.signal,
    })
    return hosted
  }

  async function echo(flow: DatagramFlow): Promise<void> {
    flows += 1
    flow.onDatagram((bytes) => flow.send(bytes))
    await flow.closed
    flows -= 1
  }
}
