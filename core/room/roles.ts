import { randomBytes, randomInt } from 'node:crypto'
import { equalBytes, toHex } from '@lantern-room/base/bytes'
import { createIsRefused, type ProbeHere } from '@lantern-room/game'
import type { LocalNet } from '@lantern-room/game/ports'
import type { RoomCode } from '@lantern-room/protocol'
import { createHostIdentity, playerIdIn, runIn } from '@lantern-room/protocol'
import { z } from 'zod'
import type { RoomConfig } from './config'
import { drawNumber } from './localNumbers'
import type { CheckNode } from './nodes/nodeHealth'
import type { RoomApiDependencies } from './roomApiDependencies'
import { createHosting, type Hosting } from './service/hosting/hosting'
import { createJoining, type Joining } from './service/joining/joining'
import { createKnownHosts } from './service/kept/knownHosts'
import type { RoomKeeper } from './service/kept/roomKeeper'
import { createRoomTable } from './service/kept/roomTable'
import type { Settings } from './service/kept/settings'
import type { RoomLog } from './service/log/roomLog'
import type { LanGames } from './service/world/lanGames'
import type { PortGuard } from './service/world/portGuard'

/** Composes what a player can be: the host of a room, or a guest. */
export function createRoles(
  config: RoomConfig,
  dependencies: RoomApiDependencies,
  service: {
    readonly localNet: LocalNet
    readonly portGuard: PortGuard
    readonly probeHere: ProbeHere
    readonly checkNode: CheckNode
    readonly settings: Settings
    readonly games: LanGames
    readonly keeper: RoomKeeper
    readonly log: RoomLog
  },
): { readonly hosting: Hosting; readonly joining: Joining } {
  const { roomNetwork, clock, identity, probeGame } = dependencies
  const { localNet, portGuard, probeHere, checkNode, games, keeper, log } = service
  const run = identity.run ?? new Uint8Array(randomBytes(16))
  const machineIdIn = (room: RoomCode) => playerIdIn(room, identity.machineId)
  const runOf = (room: RoomCode) => runIn(room, run)
  const identityOf = (room: RoomCode) => createHostIdentity(identity.secret, room)
  const configuredNodes = service.settings.nodes
  const hosting = createHosting({
    roomNetwork,
    localNet,
    clock,
    log,
    machineIdIn,
    runIn: runOf,
    identityOf,
    configuredNodes,
    probe: portGuard.guard(probeGame),
    probeHere,
    isRefused: createIsRefused(localNet),
    portGuard,
    checkNode,
    localWorlds: games.list.localWorlds,
    searchWorlds: games.search,
    lanPort: games.port,
    onWorld: (world, gamePort) => keeper.update({ world, order: { gamePort } }),
    onKnown: (decisions) => keeper.update({ decisions }),
  })
  const joining = createJoining({
    roomNetwork,
    localNet,
    clock,
    log,
    machineIdIn,
    runIn: runOf,
    identityOf,
    configuredNodes,
    probe: probeGame,
    async isRunHere(room, shown) {
      const runs = [run, await identity.claimedRun?.()]
      return runs.some((one) => one && equalBytes(runIn(room, one), shown))
    },
    knownHosts: createKnownHosts({ store: dependencies.knownHosts, secret: identity.secret, log }),
    localPorts: createRoomTable({
      store: dependencies.localPorts,
      secret: identity.secret,
      name: 'local port',
      value: z.int().min(1).max(65_535),
      log,
    }),
    announcer: dependencies.lanAnnouncer,
    heartbeatMs: config.heartbeatMs,
    drawNumber: () => drawNumber(randomInt),
    onHostKey: (key) => keeper.update({ hostKey: toHex(key) }),
  })
  return { hosting, joining }
}
