import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hasNamespaces, WHY_NO_NAMESPACES } from '#support/namespaces/namespaces'
import { startCommand } from '#support/process/serverProcess'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { fetchInside } from '#support/room/roomProcess'
import { eventually } from '#support/values/until'

const run = promisify(execFile)

/** The real Terracotta, built by whoever runs the tests; docs/compatibility.md says how. */
const program = process.env.TERRACOTTA ?? ''

export const canRunTerracotta = program !== '' && hasNamespaces
export const WHY_NO_TERRACOTTA =
  program === '' ? 'TERRACOTTA does not name the real program' : WHY_NO_NAMESPACES

/** What its `/state` answers (src/controller/api.rs, `get_state`). */
export type TerracottaState = {
  readonly state: string
  readonly index: number
  readonly room?: string
  /** Of a guest: where the world is, `127.0.0.1` or `127.0.0.1:PORT`. */
  readonly url?: string
  /** Of an exception. */
  readonly type?: number
  readonly profiles?: readonly { readonly name: string; readonly vendor: string; readonly kind: string }[]
}

export type Terracotta = {
  state(): Promise<TerracottaState>
  /** Orders to host; the world is found by its announcement. @returns the code of the room, once it is open */
  host(player: string, nodes: readonly string[]): Promise<string>
  join(room: string, player: string, nodes: readonly string[]): Promise<void>
  /** Leaves or closes its room. */
  leave(): Promise<void>
  /** Waits until its state is as asked. @throws with what it says of itself after `timeoutMs` */
  until(holds: (state: TerracottaState) => boolean, timeoutMs?: number): Promise<TerracottaState>
  /** As a machine that loses its power: its EasyTier ends with it. */
  kill(): Promise<void>
}

/** Starts the program as HMCL does. Never without a network of its own: it would listen everywhere and look for others. */
export async function startTerracotta(inside: readonly string[]): Promise<Terracotta> {
  if (inside.length === 0) throw new Error('the real program runs only in a network of its own')
  const folder = await makeTempFolder('terracotta')
  const portFile = join(folder, 'port.json')
  const child = startCommand([...inside, program, '--hmcl', portFile], { TMPDIR: folder })
  const ask = fetchInside(inside)
  const port = await readPort(portFile)
  const get = async (path: string) => {
    const { status, body } = await ask(`http://127.0.0.1:${port}${path}`, undefined)
    if (status !== 200) throw new Error(`Terracotta answered ${status} to ${path}`)
    return body
  }
  const terracotta: Terracotta = {
    state: async () => (await get('/state')) as TerracottaState,
    async host(player, nodes) {
      await get(`/state/scanning?${orderOf({ player }, nodes)}`)
      const { room } = await terracotta.until(({ state }) => state === 'host-ok')
      return room ?? ''
    },
    join: async (room, player, nodes) =>
      void (await get(`/state/guesting?${orderOf({ room, player }, nodes)}`)),
    leave: async () => void (await get('/state/ide')),
    until: (holds, ms = 60_000) =>
      eventually(terracotta.state, holds, { ms, everyMs: 100, story: child.stdout }),
    async kill() {
      const { stdout } = await run('pgrep', ['-P', String(child.pid)]).catch(() => ({ stdout: '' }))
      child.signal('SIGKILL')
      for (const pid of stdout.split('\n').filter(Boolean)) process.kill(Number(pid), 'SIGKILL')
      await child.ended
      await removeFolders(folder)
    },
  }
  return terracotta
}

async function readPort(path: string): Promise<number> {
  const read = () => readFile(path, 'utf8').catch(() => '')
  const text = await eventually(read, (written) => written !== '', { ms: 30_000, everyMs: 50 })
  return Number((JSON.parse(text) as { port: number }).port)
}

function orderOf(words: Readonly<Record<string, string>>, nodes: readonly string[]): URLSearchParams {
  const order = new URLSearchParams(words)
  for (const node of nodes) order.append('public_nodes', node)
  return order
}
