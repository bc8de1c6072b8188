import ipaddr from 'ipaddr.js'
import { withoutSecrets } from '../service/log/logLine'

/** Shorter secrets are found in harmless texts. */
const SHORTEST_SECRET = 4

/**
 * Removes what must not leave this machine. Equal values get equal numbers, so that a reader still sees what belongs
 * together:
 * - secrets of room codes, links of invitations, and `secrets`
 * - folders of users, with the user's name
 * - public IP addresses; those of loopback and of private networks stay
 * - machine ids
 * @param options.secrets tokens, in any place
 * @param options.home the user's own folder; the usual places are found without it
 * @returns gives a value of JSON with every text in it redacted
 */
export function createRedaction({
  secrets: all,
  home = '',
}: {
  readonly secrets: readonly string[]
  readonly home: string | undefined
}): <T>(value: T) => T {
  const secrets = all.filter((secret) => secret.length >= SHORTEST_SECRET)
  // In a line of the log it may be inside a JSON text, where backslashes are doubled.
  const homes = ROOT.test(home) ? [] : [home, JSON.stringify(home).slice(1, -1)]
  const numbers = new Map<string, string>()

  return (value) =>
    JSON.parse(JSON.stringify(value, (_key, one) => (typeof one === 'string' ? redacted(one) : one)))

  function redacted(text: string): string {
    let result = text
    for (const secret of secrets) result = result.replaceAll(secret, '[secret]')
    for (const folder of homes) result = result.replaceAll(folder, '~')
    return withoutSecrets(result)
      .replace(INVITATION, '$1[invitation]')
      .replace(USER_FOLDER, '~')
      .replace(MACHINE_ID, (id) => numbered('id', id.toLowerCase()))
      .replace(IPV4, (address) => shown(address))
      .replace(IPV6, (address) => shown(address))
  }

  function shown(address: string): string {
    return isOfInternet(address) ? numbered('ip', address.toLowerCase()) : address
  }

  function numbered(kind: 'ip' | 'id', value: string): string {
    const known = numbers.get(value)
    if (known !== undefined) return known
    const count = [...numbers.values()].filter((name) => name.startsWith(`[${kind}-`)).length
    const name = `[${kind}-${count + 1}]`
    numbers.set(value, name)
    return name
  }
}

const INVITATION = /(lantern-room:|https?:\/\/[^\s"#]*#)[^\s"]{16,}/gi
/** Home folders of Linux, macOS and Windows; JSON doubles the backslash. */
const USER_FOLDER = /(\/home\/|\/Users\/|[A-Z]:\\{1,2}Users\\{1,2})[^\s/\\"]+|\/root(?=[/"\s]|$)/gi
/** The own folder of a user without one, as in many containers: its slash is in codes and addresses, too. */
const ROOT = /^([A-Z]:)?[/\\]*$/i
const MACHINE_ID = /\b[0-9a-f]{32}\b/gi
const IPV4 = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.]*\d)/g
/** Anything with two colons that looks like one; `shown` decides. */
const IPV6 = /(?<![0-9a-z:.])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?![0-9a-z:])/gi

function isOfInternet(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'unicast'
}
