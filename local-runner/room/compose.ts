import { randomBytes } from 'node:crypto'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { createGameLogs } from '#core/adapters/game/gameLogs'
import { createGameProbe } from '#core/adapters/game/gameProbe'
import { createListening } from '#core/adapters/game/listeningSockets'
import { listMods } from '#core/adapters/game/listMods'
import { createVoiceSettings, defaultGameFolder } from '#core/adapters/game/voiceSettings'
import { createBedrockFinder } from '#core/adapters/lan/bedrockFinder'
import { createLanAnnouncer } from '#core/adapters/lan/lanAnnouncer'
import { createLanListener } from '#core/adapters/lan/lanListener'
import { createLocalNet, hereAddresses } from '#core/adapters/localNet/localNet'
import { isOwnConnection } from '#core/adapters/network/ownConnections'
import { isRunning } from '#core/adapters/process/processOwner'
import { createConsoleLog } from '#core/adapters/system/consoleLog'
import { placeOf } from '#core/adapters/system/folderPlace'
import { createLogFiles } from '#core/adapters/system/logFiles'
import { defaultDataFolder, readMachineIdentity } from '#core/adapters/system/machineIdentity'
import { claimedRun, claimPlayer, releasePlayer } from '#core/adapters/system/playerClaim'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { targetTriple } from '#core/adapters/system/targetTriple'
import { createTlsStreams } from '#core/adapters/tls/tlsStreams'
import { keepAnswers } from '#core/adapters/transports/keptAnswers'
import { builtAt, version } from '#core/build'
import { fromHex, toHex } from '#core/bytes'
import { namesNodes } from '#core/easytier/dialing/expandNodes'
import { createNodeProbe } from '#core/easytier/dialing/nodeProbe'
import { removeLeftovers } from '#core/easytier/portMapping/removeMappings'
import type { Environment } from '#core/environment'
import { createOwnPorts, type OwnPorts } from '#core/ownPorts'
import { type RoomConfig, readRoomConfig } from '#core/room/config'
import { diagnose } from '#core/room/doctor/diagnose'
import { legacyPing } from '#core/room/game/legacyPing'
import { modernPing } from '#core/room/game/modernPing'
import { raknetPing } from '#core/room/game/raknetPing'
import { createRoomNetwork, notePorts } from '#core/room/network/roomNetwork'
import type { ReportRecord } from '#core/room/report/report'
import { makeReport } from '#core/room/report/report'
import { createRoomApi } from '#core/room/roomApi'
import { createFileLog, joinLogs } from '#core/room/service/log/logLine'
import { page } from '../ui/room.page.html'
import { composeDoctor, openTransports, SILENT } from './doctor/compose'
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
  const log = joinLogs([
    createConsoleLog({ level: config.logLevel, write: host.writeLog }),
    ...(files ? [createFileLog({ write: files.append, clock })] : []),
  ])
  const keptNodes = keptNodesOf(config, dataFolder, log)
  const machine = openTransports(config, dataFolder, clock, log)
  const { routers } = machine
  if (routers) void removeLeftovers({ transports: machine, routers, clock, log })
  const ownPorts = host.ownPorts ?? createOwnPorts()
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
  const network = { transports, clock, log, randomBytes: (size: number) => new Uint8Array(randomBytes(size)) }
  const roomNetwork = createRoomNetwork({
    ...config,
    ...network,
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
      ...host,
      ownPorts,
      keptNodes: { initial: await keptNodes.read(), keep: keptNodes.keep },
      // Programs of one data folder share it.
      knownHosts: createTextFile(join(dataFolder, 'room', 'known-hosts.json')),
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
      listMods,
      probeNode: createNodeProbe(network),
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
export async function composeReport(env: Environment): Promise<ReportRecord> {
  const config = await readUsedConfig(env)
  const files = logFilesOf(config, dataFolderOf(config, env))
  return makeReport({
    version,
    builtAt,
    platform: targetTriple().targetTuple,
    networkVersion: undefined,
    config,
    status: undefined,
    doctor: { version, ...(await diagnose(composeDoctor(env, config))) },
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
