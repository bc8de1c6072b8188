import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot, type ServerProcess, startServer } from '../process/serverProcess'

const folder = join(projectRoot, 'tests', 'game')

export const hasGame = existsSync(join(folder, 'node_modules', 'minecraft-protocol'))
export const WHY_NO_GAME = 'no game: npm ci --prefix tests/game'

export type RunningGame = {
  readonly port: number
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
  const game = start('server.mjs', ['--motd', `Alice - World ${process.pid}`, '--announce', address], inside)
  const [, port = ''] = await game.said(/"listening","port":(\d+)/, 60_000)
  return {
    port: Number(port),
    heard: async (line) => void (await game.said(new RegExp(`"text":"${line}"`))),
    close: () => end(game),
  }
}

export type Player = {
  /** Of the world that it found; undefined when it was told. */
  readonly found: { readonly motd: string; readonly address: string; readonly port: number } | undefined
  /** Waits until the player reads a line of chat that holds this. */
  reads(text: string): Promise<void>
  leave(): Promise<void>
}

/** Who plays in the world of this port of their machine. */
export type World = { readonly port: number } | { readonly announcedAs: string }

/** A player who logs in and says something. */
export async function play(
  name: string,
  world: World,
  say: string,
  { inside = [], address = '127.0.0.1' }: GamePlace = {},
): Promise<Player> {
  const where =
    'port' in world ? [`127.0.0.1:${world.port}`] : ['--find-on', address, '--find', world.announcedAs]
  const talk = ['--name', name, '--say', say, '--stay', '--seconds', '120']
  const player = start('client.mjs', [...where, ...talk], inside)
  await player.said(/"event":"login"/, 60_000)
  const [, found] = /^(\{"event":"announcement".*)$/m.exec(player.stdout()) ?? []
  return {
    found: found === undefined ? undefined : JSON.parse(found),
    reads: async (text) => void (await player.said(new RegExp(`"chat","text":"[^"]*${text}`))),
    leave: () => end(player),
  }
}

function start(script: string, args: readonly string[], inside: readonly string[]): ServerProcess {
  const [program = '', ...rest] = [...inside, process.execPath, join(folder, script), ...args]
  return startServer(rest, {}, program)
}

async function end(program: ServerProcess): Promise<void> {
  program.signal('SIGTERM')
  await program.ended
}
