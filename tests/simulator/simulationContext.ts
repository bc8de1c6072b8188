import { createHash } from 'node:crypto'
import { sleep } from '@lantern-room/base/async'
import type { NetworkIdentity } from '@lantern-room/easytier'
import type { Transports } from '@lantern-room/easytier/transport'
import type { Endpoint } from '@lantern-room/easytier/wire'
import { generatePrivateRoomCode, generateRoomCode, type RoomCode } from '@lantern-room/protocol'
import { createRoomNetwork, type RoomNetwork } from '@lantern-room/room/network'
import type { FakeClock } from '#support/network/fakeClock'
import { createMachineClock, type MachineClock } from '#support/network/machineClock'
import { watchDatagrams } from '#support/network/watchDatagrams'
import { openNetworkOf } from '#support/room/openNetworkOf'
import { createPlainStreams } from '#support/room/plainStreams'
import { createPrng, type Prng } from '#support/values/prng'
import {
  createVirtualNet,
  type VirtualHouse,
  type VirtualMachine,
  type VirtualNet,
} from '#support/virtualNet/virtualNet'
import { FORBIDDEN_HOSTS, LOWEST_PORT } from '../unit/easytier/attacks/dialTargets'
import type { PlayerPlan, Scenario } from './scenario'
import type { Trace } from './trace'

export { GAME_PORT } from '../unit/easytier/attacks/attackContext'

/** What all parts of one run share. */
export type SimulationContext = {
  readonly scenario: Scenario
  readonly clock: FakeClock
  readonly net: VirtualNet
  readonly chance: Prng
  readonly trace: Trace
  readonly room: RoomCode
  /** For testing the test. */
  readonly plant: PlantedFault | undefined
}

/** What is done wrong on purpose, to see that it is noticed. */
export type PlantedFault =
  | 'wrong-byte'
  | 'deaf-host'
  | 'open-socket'
  | 'thrown-error'
  | 'rejection'
  | 'own-chance'

/** A machine of a player with its house, its clock and what lies around it. */
export type Home = {
  readonly machine: VirtualMachine
  readonly house: VirtualHouse
  readonly clock: MachineClock
  /** The shared nodes, as this machine reaches them. */
  readonly nodes: readonly string[]
  /**
   * The program's own network layer, one for each run.
   * @param identity of the network that a private code leads to, instead of its own
   */
  roomNetwork(run: number, identity?: NetworkIdentity): RoomNetwork
}

const STUN = ['8.8.8.8', '8.8.4.4']
export const RELAY_PORT = 11_010
export const ROOM_PORT = 13_448
const STRETCH_MS = 100

export function createSimulationContext(
  scenario: Scenario,
  clock: FakeClock,
  trace: Trace,
  plant?: PlantedFault,
): SimulationContext {
  const chance = createPrng(scenario.seed).fork('run')
  const net = createVirtualNet({ clock, random: chance.fork('net').next })
  for (const address of STUN) net.machine(address).serveStun()
  const code = chance.fork('code')
  const drawDigit = () => code.integer(0, 33)
  const room =
    scenario.privacy === 'private' ? generatePrivateRoomCode(drawDigit) : generateRoomCode(drawDigit)
  return { scenario, clock, net, chance, trace, room, plant }
}

export function createHome(
  place: SimulationContext,
  plan: PlayerPlan,
  index: number,
  hostsHouse?: VirtualHouse,
): Home {
  const { net, clock, trace, chance, scenario } = place
  const isShared = plan.isAtHosts && hostsHouse !== undefined && hostsHouse.nat !== 'open'
  const { nat, blocksUdp } = plan
  const isTcpOnly = isShared && scenario.players[0]?.blocksUdp === true
  const house = isShared
    ? hostsHouse
    : net.house({ publicAddress: `20.0.${index}.21`, nat, blocksUdp, isHairpin: nat === 'cone' })
  const machine = house.machine()
  Object.assign(isShared ? machine.line : house.line, plan.line)
  const own = createMachineClock(clock, plan.clockCountsSleep)
  const nodes = scenario.relays.map((_, relay) => {
    const transport = isTcpOnly ? 'tcp' : (plan.transports[relay] ?? 'tcp')
    return `${transport}://${relayAddress(relay)}:${RELAY_PORT}`
  })
  let attempts = 0
  return {
    machine,
    house,
    clock: own,
    nodes,
    roomNetwork(run, identity) {
      // Nobody has an id twice: what is left of the first attempt would be taken for the second.
      attempts += 1
      const streamIds = chance.fork(`${plan.name} streams ${attempts}`)
      return createRoomNetwork({
        transports: watchDials(machine.transports, (target) =>
          trace.violate(`${plan.name} was made to dial ${target}`),
        ),
        isDirect: plan.isDirect,
        friendRelay: chance.fork(`${plan.name} carries`).isTrue(CARRYING_SHARE),
        friendRelayBytesPerSecond: CARRIED_BYTES_PER_SECOND,
        clock: own,
        version: '0',
        nodes,
        stunServers: plan.knowsStun ? STUN.map((address) => `${address}:3478`) : [],
        randomBytes: chance.fork(`${plan.name} ${attempts}`).bytes,
        log: trace.log(`${plan.name}/${run}`),
        secureStreams: createPlainStreams(() => streamIds.bytes(8)),
        privateIdentity: (code) => (identity ? Promise.resolve(identity) : quickIdentity(code, own)),
      })
    },
  }
}

/** Transports that tell when something is sent to where a member must not make it be sent. */
function watchDials(transports: Transports, onForbidden: (target: string) => void): Transports {
  const look = ({ address, port }: Endpoint) => {
    if (port < LOWEST_PORT || FORBIDDEN_HOSTS.includes(address)) onForbidden(`${address}:${port}`)
  }
  return {
    ...watchDatagrams(transports, look),
    dialTcp(to, signal, from) {
      look(to)
      return transports.dialTcp(to, signal, from)
    },
  }
}

/** Of the players, those who carry for others where they can; slowly, so that the limit is met. */
const CARRYING_SHARE = 0.5
const CARRIED_BYTES_PER_SECOND = 50_000

export function relayAddress(relay: number): string {
  return `9.9.${relay}.9`
}

/** By which name and secret the members of this room meet. */
export function identityOf({ room }: SimulationContext): NetworkIdentity {
  if (room.privacy === 'private') return stretched(room.text)
  return openNetworkOf(room.text)
}

/** The real one takes a thread and a tenth of a second. */
async function quickIdentity(code: string, clock: MachineClock): Promise<NetworkIdentity> {
  await sleep(clock, STRETCH_MS, new AbortController().signal)
  return stretched(code)
}

function stretched(code: string): NetworkIdentity {
  const hash = createHash('sha256').update(code).digest('hex')
  return { name: `private-name-${hash}`, secret: `private-secret-${hash}` }
}
