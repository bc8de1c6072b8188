import { randomBytes } from 'node:crypto'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  createGameLogs,
  createGameName,
  createGameProbe,
  createListening,
  createVoiceSettings,
  defaultGameFolder,
  listMods,
} from '@lantern-room/adapters/game'
import { createBedrockFinder, createLanAnnouncer, createLanListener } from '@lantern-room/adapters/lan'
import { createLocalNet, hereAddresses } from '@lantern-room/adapters/localNet'
import { isOwnConnection } from '@lantern-room/adapters/network'
import { isRunning } from '@lantern-room/adapters/process'
import {
  claimedRun,
  claimPlayer,
  createConsoleLog,
  createLogFiles,
  createSystemClock,
  defaultDataFolder,
  placeOf,
  readMachineIdentity,
  releasePlayer,
  targetTriple,
} from '@lantern-room/adapters/system'
import { createTlsStreams } from '@lantern-room/adapters/tls'
import { keepAnswers } from '@lantern-room/adapters/transports'
import { builtAt, version } from '@lantern-room/base'
import { fromHex, toHex } from '@lantern-room/base/bytes'
import { OwnPorts } from '@lantern-room/base/network'
import type { Environment } from '@lantern-room/base/settings'
import { createNodeProbe } from '@lantern-room/easytier'
import { namesNodes } from '@lantern-room/easytier/transport'
import { legacyPing, modernPing, raknetPing } from '@lantern-room/game'
import { createRoomApi, makeReport, type RoomConfig, readRoomConfig, withFileLog } from '@lantern-room/room'
import { diagnose } from '@lantern-room/room/doctor'
import { createRoomNetwork, notePorts } from '@lantern-room/room/network'
import { routerPorts } from '@lantern-room/routers'
import { page } from '../ui/room.page.html'
import { composeDoctor, composeDoctorOfCommand, openTransports, SILENT } from './doctor/compose'
import { createKeptRoomFile, createTextFile, type KeptFor, keptNodesOf, unusableFolder } from './replaceFile'

export { builtAt, isOwnConnection, isRunning, placeOf, version }

export type LocalRoom = Awaited<ReturnType<typeof composeRoom>>

/**
 * The room service on this machine.
 * @param host.shutDown ends the program
 * @param host.ownPorts what the program listens on beside this service
 * @param host.writeLog takes lines of the log; without it they go to standard error
 * @throws ConfigError; ServiceError `unavailable` when the data folder cannot be written
 */
export async function composeRoom(
  env: Environment,
  host: {
    readonly stopping: AbortSignal
    readonly shutDown: () => void
    readonly ownPorts?: OwnPorts
    readonly writeLog?: (line: string) => void
    /** Default: `service`. */
    readonly keptFor?: KeptFor
  },
) {
  const config = readRoomConfig(env)
  const dataFolder = dataFolderOf(config, env)
  const identity = await readPlayer(dataFolder).catch((cause: unknown) => {
    throw unusableFolder(`The data folder ${join(dataFolder, 'room')}`, cause)
  })
  const clock = createSystemClock()
  const files = logFilesOf(config, dataFolder)
  const shown = createConsoleLog({ level: config.logLevel, write: host.writeLog })
  const log = files ? withFileLog(shown, { write: files.append, clock }) : shown
  const keptNodes = keptNodesOf(config, dataFolder, log)
  const machine = openTransports(config, dataFolder, clock, log)
  const { routers } = machine
  if (routers) void routerPorts({ transports: machine, routers, clock, log }).removeLeftovers()
  const ownPorts = host.ownPorts ?? new OwnPorts()
  const transports = {
    ...notePorts(machine, ownPorts),
    fetchText: keepAnswers({
      fetchText: machine.fetchText,
      folder: join(dataFolder, 'room', 'node-lists'),
      isGood: namesNodes,
      clock,
      log,
    }),
  }
  const drawBytes = (size: number) => new Uint8Array(randomBytes(size))
  const roomNetwork = createRoomNetwork({
    transports,
    nodes: config.nodes,
    stunServers: config.stunServers,
    isDirect: config.isDirect,
    friendRelay: config.friendRelay,
    friendRelayBytesPerSecond: config.friendRelayBytesPerSecond,
    clock,
    randomBytes: drawBytes,
    log,
    version,
    secureStreams: createTlsStreams(),
  })
  const lan = { interfaces: config.lanInterfaces, clock, log }
  const api = createRoomApi(
    config,
    {
      roomNetwork,
      clock,
      log,
      identity,
      stopping: host.stopping,
      shutDown: host.shutDown,
      ownPorts,
      keptNodes: { initial: await keptNodes.read(), keep: keptNodes.keep },
      // Programs of one data folder share it.
      knownHosts: createTextFile(join(dataFolder, 'room', 'known-hosts.json')),
      localPorts: createTextFile(join(dataFolder, 'room', 'local-ports.json')),
      savedRooms: createTextFile(join(dataFolder, 'room', 'saved-rooms.json')),
      keptRoom: createKeptRoomFile(dataFolder, host.keptFor ?? 'service', identity.machineId),
      lanListeners: [createLanListener(lan), createBedrockFinder(lan)],
      lanAnnouncer: createLanAnnouncer(lan),
      localNet: createLocalNet({ clock, lanInterfaces: config.lanInterfaces }),
      probeGame: createGameProbe({ pings: [modernPing, legacyPing], datagramPing: raknetPing, clock }),
      machineWorlds: {
        addresses: hereAddresses,
        listening: createListening(env),
        loggedPorts: createGameLogs(defaultGameFolder(env), env),
      },
      voicePorts: createVoiceSettings(defaultGameFolder(env)),
      gameName: createGameName(defaultGameFolder(env), env),
      listMods,
      probeNode: createNodeProbe({ transports, clock, randomBytes: drawBytes }),
      checks: composeDoctor(env),
      logOnDisk: files?.text,
      home: homedir(),
      platform: targetTriple(),
      page,
    },
    { version, builtAt },
  )
  // `closed` resolves when everything has ended after `stopping` has aborted.
  return { api, config, dataFolder, closed: api.closed }
}

/** The log on disk; undefined when the settings want none. */
function logFilesOf({ logFileBytes: maxBytes, logFiles: count }: RoomConfig, dataFolder: string) {
  if (maxBytes === 0) return undefined
  return createLogFiles({ path: join(dataFolder, 'room', 'logs', 'room.log'), maxBytes, count })
}

async function readPlayer(dataFolder: string) {
  const identity = await readMachineIdentity(dataFolder)
  const run = new Uint8Array(randomBytes(16))
  const place = await placeOf(dataFolder)
  const machineId = await claimPlayer(dataFolder, identity.machineId, { run: toHex(run), place })
  // However the program ends, except by SIGKILL.
  process.once('exit', () => releasePlayer(dataFolder))
  return {
    secret: identity.secret,
    machineId,
    run,
    async claimedRun() {
      const claimed = await claimedRun(dataFolder, place)
      return claimed === undefined ? undefined : fromHex(claimed)
    },
    place,
  }
}

/** The settings with the shared nodes that a client of the service has set. @throws ConfigError */
export async function readUsedConfig(env: Environment): Promise<RoomConfig> {
  const config = readRoomConfig(env)
  const nodes = await keptNodesOf(config, dataFolderOf(config, env), SILENT).read()
  return nodes ? { ...config, nodes, nodesFrom: 'client' } : config
}

/** The bundle of `GET /report` without a service that runs: of the log on disk. @throws ConfigError */
export async function composeReport(env: Environment): Promise<ReturnType<typeof makeReport>> {
  const config = await readUsedConfig(env)
  const files = logFilesOf(config, dataFolderOf(config, env))
  return makeReport({
    version,
    builtAt,
    platform: targetTriple().targetTuple,
    networkVersion: undefined,
    config,
    status: undefined,
    doctor: { version, ...(await diagnose(composeDoctorOfCommand(env, config))) },
    logText: files?.text() ?? '',
    home: homedir(),
    unixTime: Date.now(),
  })
}

/** @throws ConfigError */
export function roomDataFolder(env: Environment): string {
  return dataFolderOf(readRoomConfig(env), env)
}

function dataFolderOf({ dataDir }: RoomConfig, env: Environment): string {
  return resolve(dataDir ?? defaultDataFolder(env))
}
