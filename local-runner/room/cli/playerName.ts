import { mkdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { cleanText } from '@lantern-room/base'
import type { Environment } from '@lantern-room/base/settings'
import { MAX_NAME } from '@lantern-room/protocol'
import { terminalWords } from '@lantern-room/room/words'
import { roomDataFolder } from '../compose'
import { createTextFile } from '../replaceFile'
import type { Program } from './compose'

/** Accounts that are nobody's name. */
const NOBODY =
  /^(root|admin|administrator|user|users|guest|host|player|nobody|ubuntu|debian|pi|docker|runner)$/i

/**
 * The name by which others see this player: the typed one, else that of the last time, else the answer to a question, which is
 * asked once. Where there is no terminal it is the name of the account.
 * @returns undefined where it is left to the service
 * @throws ConfigError
 */
export async function choosePlayerName(
  typed: string | undefined,
  env: Environment,
  { language, isInteractive }: Pick<Program, 'language' | 'isInteractive'>,
): Promise<string | undefined> {
  const folder = join(roomDataFolder(env), 'room')
  const file = createTextFile(join(folder, 'player-name'))
  const keep = async (name: string) => {
    // A folder that cannot be written is told when the room starts.
    await mkdir(folder, { recursive: true, mode: 0o700 })
      .then(() => file.write(name))
      .catch(() => undefined)
    return name
  }
  const given = cleanText(typed ?? '', MAX_NAME)
  if (given) return keep(given)
  const known = cleanText((await file.read().catch(() => undefined)) ?? '', MAX_NAME)
  if (known) return known
  const say = terminalWords(language)
  const account = accountName()
  if (isInteractive) {
    const proposed = account || 'Player'
    return keep(cleanText(await ask(say('askName', { name: proposed })), MAX_NAME) || proposed)
  }
  if (account) process.stdout.write(`  ${say('takenName', { name: account })}\n`)
  return account || undefined
}

function accountName(): string {
  try {
    const name = cleanText(userInfo().username, MAX_NAME)
    return NOBODY.test(name) ? '' : name
  } catch {
    // An account without an entry in the list of users.
    return ''
  }
}

/** Reads one line from a person; empty when the input ends. */
export async function ask(question: string): Promise<string> {
  process.stdout.write(question)
  // The terminal itself edits the line, and ends the program at Ctrl-C.
  for await (const line of createInterface({ input: process.stdin, terminal: false })) return line
  return ''
}
