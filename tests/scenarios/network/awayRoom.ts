import type { UdpSocket } from '@lantern-room/easytier/transport'
import { createRoomNetwork } from '@lantern-room/room/network'
import { createFakeClock } from '#support/network/fakeClock'
import { createMachineClock } from '#support/network/machineClock'
import { plainStreams } from '#support/room/plainStreams'
import { createSimulatedRooms, type SimulatedRoom } from '#support/room/simulatedRooms'
import { hasResolved } from '#support/values/hasResolved'
import { silentLog } from '#support/values/testLog'
import { createTestNet } from '#support/virtualNet/testNet'
import type { VirtualMachine } from '#support/virtualNet/virtualNet'

const NODE = '9.9.9.9'
const LOOK_MS = 100

export type AwayPlayer = SimulatedRoom & {
  readonly line: VirtualMachine
  /** Its timers stand still, and nothing gets in or out. */
  sleep(): void
  wake(): void
  /** The system closes the sockets of its network. */
  breakNetwork(): void
  /** The program is gone without a word. */
  crash(): Promise<void>
}

/** Whole programs on machines that meet at a shared node and may sleep, in simulated time. */
export function createAwayRoom() {
  const clock = createFakeClock(Date.UTC(2026, 0, 1), { granularityMs: 1, settlesPerInstant: true })
  const testNet = createTestNet({ clock, delayMs: 10 })
  const { net, random } = testNet
  void testNet.sharedNode(NODE)
  const nodes = [`tcp://${NODE}:11010`]
  const rooms = createSimulatedRooms(clock)
  let machines = 0
  return { clock, open, msUntil, finish, close }

  /** @param number of the data folder, from which the keys are derived */
  function open(number: number): AwayPlayer {
    machines += 1
    const line = net.machine(`20.0.0.${machines}`)
    const own = createMachineClock(clock, true)
    const sockets = new Set<UdpSocket>()
    const room = rooms.open({
      number,
      clock: own,
      roomNetwork: createRoomNetwork({
        transports: {
          ...line.transports,
          async openUdp(port, families) {
            const socket = await line.transports.openUdp(port, families)
            sockets.add(socket)
            return socket
          },
        },
        nodes,
        stunServers: [],
        isDirect: true,
        clock: own,
        randomBytes: random.fork(`machine ${machines}`).bytes,
        log: silentLog(),
        version: '0',
        secureStreams: plainStreams,
        privateIdentity: async (code: string) => ({ name: `private ${code}`, secret: code }),
      }),
      probeNode: async () => ({ latencyMs: 10, isSharedNode: true }),
      env: { ROOM_NODES: nodes.join() },
    })
    return {
      ...room,
      line,
      sleep() {
        own.sleep()
        line.setOnline(false)
      },
      wake() {
        line.setOnline(true)
        own.wake()
        line.networkChanged()
      },
      breakNetwork() {
        for (const socket of sockets) socket.close()
        sockets.clear()
      },
      async crash() {
        line.setOnline(false)
        line.kill()
        await finish(room.service.close())
      },
    }
  }

  /** @returns how many milliseconds it took, `limitMs` where it is not so by then */
  async function msUntil(isSo: () => boolean, limitMs: number): Promise<number> {
    const startedAt = clock.now()
    while (!isSo() && clock.now() - startedAt < limitMs) await clock.advance(LOOK_MS)
    return clock.now() - startedAt
  }

  /** What needs time ends while it passes. */
  async function finish<T>(work: Promise<T>): Promise<T> {
    const isOver = hasResolved(work)
    while (!isOver()) await clock.advance(LOOK_MS)
    return work
  }

  async function close(): Promise<readonly string[]> {
    const left = await finish(rooms.close())
    await testNet.close(2000)
    // The node has had timers of its own.
    return left.filter((leak) => !leak.endsWith('timers'))
  }
}
