import { ServiceError } from '#core/errors'
import { cleanText } from '../cleanText'
import { MAX_NAME } from '../profiles'
import { describeProblem, generateRoomCode, type RoomCode, readRoomCode } from '../roomCode'
import type { HostRequest, JoinRequest } from '../service/requests'
import { readLauncherCustomString } from '../vendor'
import type { RoomAppDependencies } from './dependencies'

type Given<T> = T | null | undefined

type Api = Pick<RoomAppDependencies, 'config' | 'settings'>

/**
 * A request to host, with what it leaves open filled in.
 * @param field that holds the code, for the error
 * @throws ServiceError `invalid-request`
 */
export function readHostRequest(
  given: {
    readonly playerName?: Given<string>
    readonly launcherCustomString?: Given<string>
    readonly scaffoldingPort?: Given<number>
    readonly room?: Given<string>
    readonly gamePort?: Given<number>
    readonly waitForGame?: Given<boolean>
    readonly private?: Given<boolean>
  },
  field: string,
  { config, settings }: Api,
): HostRequest {
  const room = given.room ? readCode(given.room, field) : generateRoomCode()
  return {
    room,
    playerName: nameOf(given.playerName, 'Host'),
    vendor: vendorOf(given.launcherCustomString, settings),
    scaffoldingPort: given.scaffoldingPort ?? config.scaffoldingPort,
    gamePort: given.gamePort ?? undefined,
    waitForGame: given.waitForGame ?? true,
    isPrivate: given.private ?? config.isPrivate,
  }
}

/** A request to join. @throws ServiceError `invalid-request` */
export function readJoinRequest(
  given: {
    readonly playerName?: Given<string>
    readonly launcherCustomString?: Given<string>
    readonly roomCode: string
  },
  field: string,
  { settings }: Api,
): JoinRequest {
  return {
    room: readCode(given.roomCode, field),
    playerName: nameOf(given.playerName, 'Guest'),
    vendor: vendorOf(given.launcherCustomString, settings),
  }
}

function readCode(text: string, field: string): RoomCode {
  const { code, problem } = readRoomCode(text)
  if (code) return code
  throw new ServiceError('invalid-request', `${field}: ${describeProblem(problem)}`)
}

function nameOf(given: Given<string>, fallback: string): string {
  return cleanText(given ?? '', MAX_NAME) || fallback
}

function vendorOf(given: Given<string>, settings: Api['settings']): string {
  return settings.vendor(readLauncherCustomString(given))
}
