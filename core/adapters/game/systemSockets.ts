import type { ListeningSocket } from '#core/room/ports'

/** What the tools of Windows and macOS print about sockets, read without regard to the language of the system. */

/** `tasklist /FO CSV /NH`: `"javaw.exe","4242","Console","1","1,234,567 K"`. @returns the ids of the processes */
export function parseTasklist(output: string): ReadonlySet<number> {
  return new Set([...output.matchAll(/^"[^"]*","(\d+)"/gm)].map(([, pid]) => Number(pid)))
}

/**
 * `netstat -ano`: `  TCP    0.0.0.0:25565    0.0.0.0:0    LISTENING    4242`. The state is in the system's language; a socket that
 * listens has no other side.
 * @param java the ids of this user's Java programs
 */
export function parseNetstat(output: string, java: ReadonlySet<number>): readonly ListeningSocket[] {
  const lines = output.matchAll(/^\s*TCP\s+(\S+)\s+(?:0\.0\.0\.0|\[::\]):0\s.*?(\d+)\s*$/gm)
  return [...lines].flatMap(([, local = '', pid]) => {
    const isJava = java.has(Number(pid))
    return socketAt(local, { isJava, isOfUser: isJava })
  })
}

/** `lsof -Fn` for this user's Java programs: lines of `n*:25565`, `n127.0.0.1:25565` or `n[::1]:25565`. */
export function parseLsof(output: string): readonly ListeningSocket[] {
  const names = output.matchAll(/^n(\S+)$/gm)
  return [...names].flatMap(([, local = '']) => socketAt(local, { isJava: true, isOfUser: true }))
}

function socketAt(
  local: string,
  owner: Pick<ListeningSocket, 'isJava' | 'isOfUser'>,
): readonly ListeningSocket[] {
  const [, address = '', port] = /^\[?(.*?)\]?:(\d{1,5})$/.exec(local) ?? []
  // A link-local address means nothing without its interface.
  if (port === undefined || /^fe[89ab]/i.test(address)) return []
  return [{ address: address === '*' ? '::' : address, port: Number(port), ...owner }]
}
