import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot, type ServerProcess, startCommand } from '../process/serverProcess'

const folder = join(projectRoot, 'tests', 'game')

export const hasGame = existsSync(join(folder, 'node_modules', 'minecraft-protocol'))
/** The library of the Bedrock edition. */
export const hasBedrock = existsSync(join(folder, 'node_modules', 'bedrock-protocol'))
export const WHY_NO_GAME = 'no game: npm ci --prefix tests/game'

export type RunningGame = {
  readonly port: number
  /** Under which it is announced. */
  readonly motd: string
  /** Waits for a line of chat. */
  heard(line: string): Promise<void>
  close(): Promise<void>
}

export type GamePlace = {
  /** Put before the command: `ip netns exec NAME`. */
  readonly inside?: readonly string[]
  /** Address of the interface on which worlds are announced and looked for. */
  readonly address?: string
}

/** A world that was opened to the LAN. */
export async function openGame({ inside = [], address = '127.0.0.1' }: GamePlace = {}): Promise<RunningGame> {
  const motd = `爱丽丝 - 新的世界 🏠 ${process.pid}`
  const game = start('server.mjs', ['--motd', motd, '--announce', address], inside)
  const [, port = ''] = await game.said(/"listening","port":(\d+)/, 60_000)
  return {
    port: Number(port),
    motd,
    heard: async (line) => void (await game.said(new RegExp(`"text":"${line}"`))),
    close: () => game.end(),
  }
}

export type Player = {
  /** Of the world that it found; undefined when it was told. */
  readonly found: { readonly motd: string; readonly address: string; readonly port: number } | undefined
  /** Waits until the player reads a line of chat that holds this. */
  reads(text: string): Promise<void>
  leave(): Promise<void>
}

/** The world of this port of the player's machine, or one that this machine announces, but not on the port of the game there. */
export type World = { readonly port: number } | { readonly announcedAs: string; readonly exceptPort?: number }

/** A player who logs in and says something. */
export async function play(
  name: string,
  world: World,
  say: string,
  { inside = [], address = '127.0.0.1' }: GamePlace = {},
): Promise<Player> {
  const where =
    'port' in world
      ? [`127.0.0.1:${world.port}`]
      : [
          ...['--find-on', address, '--find', world.announcedAs, '--from', address],
          ...(world.exceptPort === undefined ? [] : ['--except', String(world.exceptPort)]),
        ]
  const talk = ['--name', name, '--say', say, '--stay', '--seconds', '120']
  const player = start('client.mjs', [...where, ...talk], inside)
  await player.said(/"event":"login"/, 60_000)
  const [, found] = /^(\{"event":"announcement".*)$/m.exec(player.stdout()) ?? []
  return {
    found: found === undefined ? undefined : JSON.parse(found),
    reads: async (text) => void (await player.said(new RegExp(`"chat","text":"[^"]*${text}`))),
    leave: () => player.end(),
  }
}

/** What a world of the Bedrock edition tells a player who looks for it, as `bedrock-protocol` reads it. */
export type BedrockAnswer = {
  readonly motd: string
  readonly version: string
  readonly protocol: string
  readonly playersOnline: number
  readonly playersMax: number
}

/** Pings a port of this machine until a world answers. */
export async function pingBedrock(port: number): Promise<BedrockAnswer> {
  const player = start('bedrockPing.mjs', [`127.0.0.1:${port}`, '--seconds', '60'], [])
  const [line] = await player.said(/^\{"event":"pong".*\}$/m, 90_000)
  await player.ended
  return JSON.parse(line) as BedrockAnswer
}

function start(script: string, args: readonly string[], inside: readonly string[]): ServerProcess {
  return startCommand([...inside, process.execPath, join(folder, script), ...args])
}
