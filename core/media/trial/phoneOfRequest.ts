/** What a browser reveals about the phone it runs on. */
export type ToldPhone = { readonly model: string | undefined; readonly system: string | undefined }

/** The headers by which a page asks for them. Browsers send them over TLS and to their own machine only. */
export const WANTED_HINTS = 'Sec-CH-UA-Model, Sec-CH-UA-Platform, Sec-CH-UA-Platform-Version'

/** Of a word in a user agent's comment that follows the system and is no model. */
const NO_MODEL = /^(K|U|wv|Mobile|Tablet|Phone|HarmonyOS.*|OpenHarmony.*|rv:.*|[a-z]{2}([-_][A-Za-z]{2,4})?)$/

/** Longer ones are no phone's. */
const MAX_LENGTH = 80

/**
 * The phone by its client hints, or else by its user agent, as far as they tell. Chrome has frozen the user agent: there every
 * phone is a model K with Android 10.
 * @see https://wicg.github.io/ua-client-hints/; https://www.rfc-editor.org/rfc/rfc9110#section-10.1.5
 */
export function phoneOfRequest(headers: Headers): ToldPhone {
  const byAgent = phoneOfAgent(headers.get('User-Agent') ?? '')
  const platform = hint(headers, 'Sec-CH-UA-Platform')
  const version = hint(headers, 'Sec-CH-UA-Platform-Version')
  const byHints = platform && version ? `${platform} ${version.replace(/(\.0)+$/, '')}` : undefined
  return {
    model: shown(hint(headers, 'Sec-CH-UA-Model') ?? byAgent.model),
    system: shown(byHints ?? byAgent.system),
  }
}

/** A string of a structured header. @see RFC 9651, 3.3.3 */
function hint(headers: Headers, name: string): string | undefined {
  return /^"([^"\\]+)"$/.exec(headers.get(name) ?? '')?.[1]
}

function phoneOfAgent(agent: string): ToldPhone {
  const words = (/\(([^)]*)\)/.exec(agent)?.[1] ?? '').split(';').map((word) => word.trim())
  const apple = /^(iPhone|iPad|iPod)/.exec(words[0] ?? '')?.[1]
  if (apple !== undefined) {
    const version = / OS (\d+(?:_\d+)*) like /.exec(words.join(';'))?.[1]
    return { model: apple, system: version && `iOS ${version.replaceAll('_', '.')}` }
  }
  const at = words.findIndex((word) => /^(Android|OpenHarmony|HarmonyOS) ?[\d.]*$/.test(word))
  if (at < 0) return { model: undefined, system: undefined }
  const after = words.slice(at + 1).map((word) => word.replace(/ Build\/.*$/, ''))
  const isFrozen = after[0] === 'K'
  return {
    model: after.find((word) => word !== '' && !NO_MODEL.test(word)),
    system: isFrozen ? undefined : words[at],
  }
}

function shown(text: string | undefined): string | undefined {
  const printable = text?.replaceAll(/[^\x20-\x7e]/g, '').slice(0, MAX_LENGTH)
  return printable === '' ? undefined : printable
}
